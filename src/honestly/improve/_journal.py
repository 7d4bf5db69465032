"""The journal of a loop: one line for everything that happens, appended as it happens; the state is rebuilt from it.

What was begun and has no end was interrupted. `State` is what the lines say together; whoever resumes, shows or proves
a loop reads nothing else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from honestly.errors import StoreError, StudyTooNewError
from honestly.improve._budget import LoopSpending
from honestly.improve._declare import BASELINE
from honestly.improve._evaluate import Status
from honestly.records import Agent, Edit, Record, Truth, Usage, encode
from honestly.work import Budget, Journal, read_journal

JOURNAL = "journal.jsonl"
_VERSION = 1
Arm = Literal["loop", "control", "proof"]
"""Which part of a run: the loop itself, best-of-N beside it, or the final comparison."""


class Rival(Record, frozen=True, kw_only=True):
    """Another agent of the same loop."""

    agent: str
    """As it was typed."""
    record: Agent


class Declared(Record, frozen=True, kw_only=True, tag="declared"):
    """The declaration made before the loop began."""

    version: int = _VERSION
    name: str
    loop: str
    source: str = ""
    """Hash of the loop's source, where it is somebody's own."""
    keep: str
    agent: str
    """As it was typed."""
    model: str = ""
    record: Agent
    budget: Budget
    secret: str
    """What all seeds derive from; no agent sees it."""
    rivals: tuple[Rival, ...] = ()
    """Agents that make attempts beside the first."""
    attackers: tuple[str, ...] = ()
    """Who attacks, where the loop is `harden`."""
    solvers: tuple[str, ...] = ()
    suite: str = ""
    """Hash of the suite on which an agent is measured."""
    """Whose honest solutions must still pass there."""
    tries: int = 1
    """Rounds without a reward after which a task is done there."""

    @property
    def agents(self) -> str:
        """All who make attempts, as they were typed."""
        return ", ".join([self.agent, *(each.agent for each in self.rivals)])


class Begun(Record, frozen=True, kw_only=True, tag="begun"):
    """An attempt of the agent begins, and is charged."""

    arm: Arm
    n: int
    parent: str
    prompt: str
    at: float
    """Seconds since the epoch."""


class Proposed(Record, frozen=True, kw_only=True, tag="proposed"):
    """An attempt of the agent has ended, and is frozen as a candidate."""

    arm: Arm
    n: int
    parent: str
    id: str
    edit: Edit
    """The change of the project; empty for the baseline."""
    tampered: tuple[str, ...] = ()
    agent: str = ""
    """Who made it, where there are several."""
    stray: tuple[str, ...] = ()
    stop: str = ""
    void: str = ""
    """Why nothing can be said of the agent: its model did not answer, the sandbox failed."""
    usage: Usage = Usage()
    truth: Truth | None = None
    seconds: float = 0.0
    said: str = ""
    """Its last words, from the end."""


class Measuring(Record, frozen=True, kw_only=True, tag="measuring"):
    """An evaluation begins, and is charged."""

    arm: Arm
    key: str
    at: float


class Evaluated(Record, frozen=True, kw_only=True, tag="evaluated"):
    """An evaluation has ended."""

    arm: Arm
    key: str
    """Candidate, purpose and number: what is never done twice."""
    id: str
    seed: int
    status: Status
    value: float | None
    metrics: Mapping[str, float] = {}
    log: str = ""
    seconds: float = 0.0
    left: Edit | None = None
    """What an agent left, where the evaluation is one of its work."""
    usage: Usage = Usage()
    cpu: float = 0.0
    """Seconds of CPU time; of wall time where that is not known."""


class Decided(Record, frozen=True, kw_only=True, tag="decided"):
    """The decision about an attempt."""

    arm: Arm
    n: int
    id: str
    kept: bool
    why: str
    status: str
    """`ok`, or why it has no number."""
    score: float | None = None
    """The candidate's mean over the pairs that decided: selected, and so too high where it was kept."""
    gain: float | None = None
    """Its mean gain over the incumbent there, positive where it is better."""
    pairs: int = 0
    spread: float | None = None
    """SD of the gains of single pairs."""
    level: float | None = None
    """Of the test that decided; None where there was none."""


class Extended(Record, frozen=True, kw_only=True, tag="extended"):
    """A loop that had ended is given more."""

    more: Budget
    """As it was typed."""
    budget: Budget
    """All that the run may spend now."""
    part: Budget
    """What of it the loop may spend where it has kept something."""


class Noted(Record, frozen=True, kw_only=True, tag="noted"):
    """A measurement of no candidate's, such as that of the machine."""

    arm: Arm
    key: str
    values: Mapping[str, float]
    seconds: float


class Interrupted(Record, frozen=True, kw_only=True, tag="interrupted"):
    """The work in flight when the loop was killed."""

    arm: Arm
    what: str
    seconds: float
    """What it is charged."""


class Sealed(Record, frozen=True, kw_only=True, tag="sealed"):
    """An arm has ended with this candidate as its best."""

    arm: Arm
    best: str
    why: str


Event = Declared | Extended | Begun | Proposed | Measuring | Evaluated | Decided | Noted | Interrupted | Sealed
_EVENT = msgspec.json.Decoder(Event)


@dataclass
class State:
    """The state that a journal describes."""

    declared: Declared | None = None
    edits: dict[str, Edit] = field(default_factory=lambda: {BASELINE: Edit()})
    """Every candidate by its id."""
    begun: dict[tuple[Arm, int], Begun] = field(default_factory=dict)
    proposed: dict[tuple[Arm, int], Proposed] = field(default_factory=dict)
    evaluated: dict[str, Evaluated] = field(default_factory=dict)
    decided: dict[tuple[Arm, int], Decided] = field(default_factory=dict)
    sealed: dict[Arm, Sealed] = field(default_factory=dict)
    notes: dict[str, Mapping[str, float]] = field(default_factory=dict)
    spent: dict[Arm, LoopSpending] = field(
        default_factory=lambda: {"loop": LoopSpending(), "control": LoopSpending(), "proof": LoopSpending()}
    )
    first: dict[tuple[Arm, str], int] = field(default_factory=dict)
    """The first attempt of an arm that left this candidate."""
    spreads: dict[Arm, list[float]] = field(default_factory=dict)
    """SD of the gains of single pairs in each attempt of an arm that was decided, where there is one."""
    in_flight: dict[str, tuple[Arm, float]] = field(default_factory=dict)
    """What has begun and not ended: its arm, and when."""
    interrupted: int = 0
    extended: Extended | None = None
    """How it was last given more."""
    levels: dict[int, float] = field(default_factory=dict)
    """Of the tests of the loop's attempts."""
    values: dict[str, float] = field(default_factory=dict)
    """The first value of each candidate in the loop."""
    changed_by_itself: bool = False
    """Whether any candidate of the loop had two values."""
    best: str = BASELINE
    """What the loop has kept last."""
    score: float | None = None
    """Its score when it was kept."""

    def apply(self, event: Event) -> None:
        """Add what one line says."""
        if isinstance(event, Declared):
            self.declared = event
            return
        if isinstance(event, Extended):
            self.extended = event
            self.sealed.pop("loop", None)
            self.decided = {key: each for key, each in self.decided.items() if each.status != "spent"}
            return
        spent = self.spent[event.arm]
        if isinstance(event, Begun):
            spent.attempts += (event.arm, event.n) not in self.begun
            self.begun[event.arm, event.n] = event
            self.in_flight[f"{event.arm} attempt {event.n}"] = event.arm, event.at
        elif isinstance(event, Proposed):
            self.in_flight.pop(f"{event.arm} attempt {event.n}", None)
            self.proposed[event.arm, event.n] = event
            self.edits.setdefault(event.id, event.edit)
            self.first.setdefault((event.arm, event.id), event.n)
            spent.charge_cost(seconds=event.seconds, usage=event.usage)
        elif isinstance(event, Measuring):
            spent.evaluations += 1
            self.in_flight[event.key] = event.arm, event.at
        elif isinstance(event, Evaluated):
            self.in_flight.pop(event.key, None)
            self.evaluated[event.key] = event
            if event.value is not None and event.arm == "loop":
                self.changed_by_itself |= self.values.setdefault(event.id, event.value) != event.value
            spent.charge_cost(seconds=event.seconds, cpu=event.cpu, usage=event.usage)
        elif isinstance(event, Decided):
            self._apply_decision(event)
        elif isinstance(event, Noted):
            self.notes[event.key] = event.values
            spent.charge_cost(seconds=event.seconds)
        elif isinstance(event, Interrupted):
            self.in_flight.pop(event.what, None)
            self.interrupted += 1
            spent.charge_cost(seconds=event.seconds, cpu=0.0 if " attempt " in event.what else event.seconds)
        else:
            self.sealed[event.arm] = event

    def _apply_decision(self, event: Decided) -> None:
        self.decided[event.arm, event.n] = event
        spent, idle = self.spent[event.arm], event.status in {"same", "void"}
        spent.unmeasured, spent.idle = spent.unmeasured + idle, spent.idle + 1 if idle else 0
        if event.level is not None:
            self.levels[event.n] = event.level
        if event.n and event.spread and event.status != "spent":  # such a test goes on, and may not see itself
            self.spreads.setdefault(event.arm, []).append(event.spread)
        if event.kept and event.arm == "loop":
            self.best, self.score = event.id, event.score

    @property
    def total_budget(self) -> Budget:
        """The budget of the run, with what it was given since it began."""
        assert self.declared is not None
        return self.declared.budget if self.extended is None else self.extended.budget

    def attempts(self, arm: Arm = "loop") -> Iterator[Proposed]:
        """The attempts of an arm that have ended, in order."""
        numbers = sorted(n for each, n in self.proposed if each == arm)
        return (self.proposed[arm, n] for n in numbers)


class LoopJournal:
    """The journal of a run, open for its one writer."""

    def __init__(self, folder: Path) -> None:
        """Opens it, and rebuilds the state.

        Raises:
            StudyBusyError: another process is at work on this run.
            StoreError: a line of it is damaged.
        """
        self._journal = Journal(folder / JOURNAL, mode=0o600)
        try:
            self.state = _state_of(self._journal.path)
        except BaseException:
            self._journal.close()
            raise

    def write(self, event: Event) -> None:
        """Append one line, and add it to the state."""
        self._journal.append(encode(event))
        self.state.apply(event)

    def close(self) -> None:
        """Let others write; idempotent."""
        self._journal.close()


def read_state(folder: Path) -> State:
    """The state of a run, which can be running.

    Raises:
        StoreError: there is no run, or a line of its journal is damaged.
    """
    path = folder / JOURNAL
    if not path.is_file():
        raise StoreError(f"{folder} contains no run of a loop: expected {JOURNAL} (honestly improve run PROJECT)")
    return _state_of(path)


def _state_of(path: Path) -> State:
    state = State()
    for event in read_journal(path, _EVENT.decode, "an event of a loop"):
        if isinstance(event, Declared) and event.version > _VERSION:
            raise StudyTooNewError(f"{path} has version {event.version}; use the newer honestly that wrote it")
        state.apply(event)
    return state
