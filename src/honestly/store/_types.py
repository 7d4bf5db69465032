"""The types of a store, beside records."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import NamedTuple, TypeAlias

from honestly.records import (
    Agent,
    Attempt,
    Defect,
    Doubt,
    Finding,
    Outcome,
    Review,
    Step,
    Task,
    Trajectory,
    Trial,
    attempt_count,
)

Blob: TypeAlias = bytes | Iterable[bytes]
"""Content of an artifact: whole, or in pieces of any size."""

Steps: TypeAlias = Trajectory | Iterable[Step] | None
"""A trajectory, or its steps as an iterator if it is too large for memory; None where there is none."""

TrialData: TypeAlias = tuple[Trial, Steps, Mapping[str, Blob]]
"""A trial with its trajectory and its artifacts by name."""

Item: TypeAlias = Agent | Task | Finding | Review | Defect | TrialData
"""What `Store.add` takes."""


class Cell(NamedTuple):
    """The facts of one trial for statistics, without reading its record."""

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
    doubt: Doubt | None = None
    """Why it is undecided; see `Verdict.doubt`."""
    earlier: tuple[Attempt, ...] = ()
    """Attempts that this one took the place of, oldest first. `usd` is without them."""

    @property
    def attempts(self) -> int:
        """How many attempts the trial had, the last one included; as `Trial.attempts`."""
        return attempt_count(self.earlier)


class OutcomeCount(NamedTuple):
    """Trials of one agent that ended alike."""

    outcome: Outcome
    agent: str
    reason: str
    """Of void ones; empty for all others, which are counted together."""
    trials: int
    usd: float | None
    """What they cost, without earlier attempts; None where none of them says."""


class EndedCounts(NamedTuple):
    """How far a study is, by counts alone."""

    tasks: int
    counts: tuple[OutcomeCount, ...]


class TrajectoryInfo(NamedTuple):
    """The facts of a trajectory before it is read."""

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
    """The search hits in part of a study."""

    hits: list[Hit]
    searched: int
    """Bytes of steps that were looked through, uncompressed."""
    trials: int
    """Trials that were begun in this part."""
    rest: StepPlace | None
    """After which step to go on; None where all was searched."""


RULE = "rule"
"""What a run with a stopping rule reserves, so that only one such run exists."""


class ClaimResult(Enum):
    """The result of claiming a trial."""

    OURS = auto()
    ELSEWHERE = auto()
    """Another runner has it, or has done it."""
    FULL = auto()
    """As many trials have begun as may."""
    LATER = auto()
    """Nobody can count now how many have begun, since the database is away."""


def latest_findings(findings: Iterable[Finding]) -> dict[str, dict[str, Finding]]:
    """Collect the newest finding of each detector about each trial, by trial and detector."""
    found: dict[str, dict[str, Finding]] = defaultdict(dict)
    for finding in findings:
        found[finding.trial][finding.detector] = finding
    return found
