"""The seam of the room: what a store of studies can do, as five small protocols and their sum.

A consumer asks for the smallest one that it needs; one contract test-suite (`tests/store/store_contract.py`) runs on
every implementation. All methods are synchronous, and may be called from any thread.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from enum import Enum, auto
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from honestly.records import (
    Agent,
    Attempt,
    Conditions,
    Defect,
    Finding,
    Isolation,
    Outcome,
    Review,
    Step,
    StudyFacts,
    Task,
    Trajectory,
    Trial,
)

T = TypeVar("T")

Blob: TypeAlias = bytes | Iterable[bytes]
"""Content of an artifact: whole, or in pieces of any size."""

Steps: TypeAlias = Trajectory | Iterable[Step] | None
"""A trajectory, or its steps one after the other where it is too large to hold; None where there is none."""

TrialData: TypeAlias = tuple[Trial, Steps, Mapping[str, Blob]]
"""A trial with its trajectory and its artifacts by name."""

Item: TypeAlias = Agent | Task | Finding | Review | Defect | TrialData
"""What `Store.add` takes."""


class Cell(NamedTuple):
    """What statistics need to know of one trial, without reading its record."""

    id: str
    agent: str
    task: str
    sample: int
    outcome: Outcome
    reason: str
    visible: bool | None
    """Whether all visible checks passed; None where they were not run."""
    hidden: bool | None
    """Whether all hidden checks passed; None where they were not run. Tampering is in the next field."""
    tampered: bool
    usd: float | None
    """Cost in US dollars; None where it was not reported."""
    score: float | None = None
    """The graded result from 0 to 1, of trials that have one."""
    earlier: tuple[Attempt, ...] = ()
    """Attempts that this one took the place of, oldest first. `usd` is without them."""


class OutcomeCount(NamedTuple):
    """Trials of one agent that ended alike."""

    outcome: Outcome
    agent: str
    reason: str
    """Of void ones; empty for all others, which are counted together."""
    trials: int
    usd: float | None
    """What they cost, without earlier attempts; None where none of them says."""


class Ended(NamedTuple):
    """How far a study is, by counts alone."""

    tasks: int
    counts: tuple[OutcomeCount, ...]


class TrajectoryInfo(NamedTuple):
    """What is known of a trajectory before it is read."""

    steps: int
    """Number of steps."""
    size: int
    """Uncompressed size, bytes of JSON."""
    stop: str
    """Why it ended."""


class StepPlace(NamedTuple):
    """A step of a study, in the order in which trials were added."""

    number: int
    """Of the trial, as the store counts them; for nothing but to go on from here."""
    step: int


class Hit(NamedTuple):
    """A text of a step in which something was found."""

    trial: str
    step: int
    where: str
    """Which text of the step: a name as in `Evidence.where`."""
    start: int
    """Where it stands in that text for the first time, characters."""
    end: int
    times: int
    """How often it stands in that text."""
    before: str
    """What stands before it, as far as a line shows it."""
    quote: str
    """What was found, in its own upper and lower case."""
    after: str


class Hits(NamedTuple):
    """What was found in a part of a study."""

    hits: list[Hit]
    searched: int
    """Bytes of steps that were looked through, uncompressed."""
    trials: int
    """Trials that were begun in this part."""
    rest: StepPlace | None
    """After which step to go on; None where all was searched."""


RULE = "rule"
"""What a run that may stop early claims beside its trials: two would look twice."""


class Claimed(Enum):
    """What came of claiming a trial."""

    OURS = auto()
    ELSEWHERE = auto()
    """Another runner has it, or has done it."""
    FULL = auto()
    """As many trials have begun as may."""
    LATER = auto()
    """Nobody can count now how many have begun, since the database is away."""


class Setup(Protocol):
    """What a study is about: facts, agents, tasks."""

    def facts(self) -> StudyFacts:
        """What is known of the study as a whole."""

    def set_facts(self, facts: StudyFacts, was: StudyFacts | None = None) -> None:
        """Replace what is known of the study as a whole; StudyBusyError where it is no longer what it `was`."""

    def learn(self, isolation: Isolation, conditions: Conditions) -> None:
        """Take down in the facts under which conditions a trial ran, beside what others take down there."""

    def kept(self, name: str, kind: type[T]) -> T | None:
        """What was kept under this name, as a `kind`; None where nothing was. StoreError where it is something else."""

    def all_kept(self, kind: type[T], prefix: str = "") -> dict[str, T]:
        """Everything that was kept under names that begin so, by name, each as a `kind`."""

    def keep(self, name: str, value: object) -> None:
        """Keep a record of another room, under a name that the room owns, in place of what was there."""

    def agents(self) -> list[Agent]:
        """All agents, by name."""

    def tasks(self) -> Iterator[Task]:
        """All tasks, by id."""

    def task(self, task_id: str) -> Task:
        """One task; StoreError where there is none."""

    def add(self, items: Iterable[Item], every: int = 200) -> int:
        """Add records of any kind in the order given, committing after each `every`; returns how many were new."""


class Trials(Protocol):
    """What happened."""

    def add_trial(self, trial: Trial, trajectory: Steps = None, artifacts: Mapping[str, Blob] | None = None) -> None:
        """Add one trial with all that belongs to it, or nothing."""

    def redo_trial(
        self,
        trial: Trial,
        trajectory: Steps = None,
        artifacts: Mapping[str, Blob] | None = None,
        findings: Iterable[Finding] = (),
    ) -> None:
        """Put a new attempt in the place of the one held, which becomes the last of `earlier`; all of it, or nothing.

        What was noted of the old attempt is not said of the new one: its trajectory, artifacts, findings and reviews
        are artifacts from then on, named `earlier/N/...` by the number of the attempt, from 1.
        """

    def claim(self, trial_id: str, attempts: int, most: int | None = None) -> Claimed:
        """Take a trial for this runner, until it is stored with a verdict, or the store is closed.

        Args:
            trial_id: which.
            attempts: at it that the study holds, as far as the caller knows.
            most: trials that may have begun, this one included: stored, or taken by a runner that lives. A file has one
                writer, who counts for itself.
        """

    def changed(self, seen: dict[str, int]) -> Iterator[Trial]:
        """Trials that are new, or done again, since this was last asked with the same `seen`, at first an empty one."""

    def flush(self) -> None:
        """Deliver what waits on this machine, since the study was away; StudyAwayError where it still is."""

    def trial(self, trial_id: str) -> Trial:
        """One trial; StoreError where there is none."""

    def trial_ids(self) -> frozenset[str]:
        """Ids of all trials."""

    def trials(self, agent: str | None = None, task: str | None = None) -> Iterator[Trial]:
        """Trials by agent, task, sample; of one agent or one task where named."""

    def cells(self) -> list[Cell]:
        """One row for each trial, by agent, task, sample."""

    def tally(self) -> dict[Outcome, int]:
        """How many trials ended how, without reading them."""

    def ended(self) -> Ended:
        """How many tasks there are, and how many trials of each agent ended how, without reading any of them."""

    def isolations(self) -> dict[Isolation, int]:
        """What stood around the trials, and around how many."""


class Payloads(Protocol):
    """What trials left behind."""

    def trajectory(self, trial_id: str) -> Trajectory | None:
        """The whole trajectory of a trial, if it has one."""

    def trajectory_info(self, trial_id: str) -> TrajectoryInfo | None:
        """Length, size and end of a trajectory, without reading it."""

    def steps(self, trial_id: str, start: int = 0, stop: int | None = None) -> Iterator[Step]:
        """Steps from `start` up to, not including, `stop`; only the chunks that hold them are read."""

    def artifacts(self, trial_id: str) -> dict[str, int]:
        """Names of a trial's artifacts and their sizes in bytes."""

    def artifact(self, trial_id: str, name: str) -> bytes:
        """Content of one artifact; StoreError where there is none."""

    def artifact_pieces(self, trial_id: str, name: str) -> Iterator[bytes]:
        """Yield the content of one artifact in pieces of about a megabyte, for what is too large to hold."""


class Searchable(Protocol):
    """Where something was said or done."""

    def find(
        self,
        text: str,
        among: Container[str] | None = None,
        after: StepPlace | None = None,
        most: int = 50,
        size: int = 0,
    ) -> Hits:
        """The texts of steps that hold `text`, upper and lower case alike, in the order in which trials were added.

        Args:
            text: what to look for; at most 1000 characters.
            among: ids of the trials to look in; None for all.
            after: the step after which to begin: the `rest` of the part before.
            most: hits after which to stop; those of one step stay together.
            size: bytes of steps, uncompressed, after which to stop; 0 for no bound.
        """


class Notes(Protocol):
    """What was noticed."""

    def findings(self, trial_id: str | None = None, state: str | None = None) -> Iterator[Finding]:
        """Findings in the order in which they were added; of one trial, or in one state, where named."""

    def flags(self) -> dict[str, int]:
        """How many findings flag each trial; a trial without any is absent."""

    def reviews(self, trial_id: str | None = None) -> Iterator[Review]:
        """Reviews in the order in which they were added; of one trial where named."""

    def defects(self) -> Iterator[Defect]:
        """Defects of what was imported, in the order in which they were added."""


class Store(Setup, Trials, Payloads, Searchable, Notes, Protocol):
    """A study."""

    @property
    def shared(self) -> bool:
        """Whether others may write it meanwhile."""

    def generation(self) -> int:
        """A number that differs after each change that anybody else made since it was asked for."""

    def close(self) -> None:
        """Give everything back; a closed store cannot be used."""
