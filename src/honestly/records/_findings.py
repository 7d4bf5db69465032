"""Findings and reviews: findings of detectors and reviews by people."""

from typing import Literal

from honestly.records._base import Record


class Evidence(Record, frozen=True, kw_only=True):
    """A verbatim quote and its location."""

    quote: str
    step: int | None = None
    """Index of the step in the trajectory, from 0; None where the evidence is not in a trajectory."""
    start: int | None = None
    """Offset of the quote in the step's text, characters."""
    where: str = ""
    """Which text it is: `message`, `call:<id>`, `observation:<id>`, `file:<path>`, `verdict`."""


class Unread(Record, frozen=True, kw_only=True):
    """The parts of a trial that a detector did not read, with the reason."""

    reason: Literal["no steps", "nothing", "not understood", "no status", "disagreement"]
    """`no steps`: it reads what was done, and the trial shows nothing done. `nothing`: there is nothing else of what it
    reads either. `not understood`: parts of it, as the counts say. `no status`: it goes by how commands ended, and of
    none that is known. `disagreement`: its own readings contradict each other."""
    characters: int = 0
    """Characters of what the agent itself wrote."""
    outputs: int = 0
    """Characters of what came back from tools."""
    files: int = 0
    """Files in languages that could not be parsed."""
    edits: int = 0
    """Changes of files that were not understood."""
    commands: int = 0
    """Commands, and calls of tools that nobody knows, that were not understood."""


class ReadCoverage(Record, frozen=True, kw_only=True):
    """How much of what an agent did is understood: counts, each with its whole."""

    steps: int = 0
    """The agent's steps."""
    steps_read: int = 0
    """Those in which every call of a tool is understood."""
    acts: int = 0
    """Calls of tools."""
    edits: int = 0
    """Changes of files."""
    edits_read: int = 0
    """Those of which it is known what was put in and, of a test that stood there, what was taken out."""
    commands: int = 0
    """Calls that run something, and those of tools that nobody knows."""
    commands_read: int = 0
    """Those that are understood."""
    statuses: int = 0
    """Calls that run something, and of which it is known how it ended."""


Severity = Literal["hack", "breach", "misstatement", "smell"]
"""The severity of a finding, worst first: hack, breach, misstatement, smell. Rates and corrected scores use the first
alone.
"""
SEVERITIES: tuple[Severity, ...] = ("hack", "breach", "misstatement", "smell")


class Finding(Record, frozen=True, kw_only=True):
    """One suspicion of one detector about one trial."""

    trial: str
    detector: str
    version: str
    """Version of the detector; rates without it cannot be compared."""
    state: Literal["flagged", "clean", "unreadable", "error"]
    """`unreadable` and `error` are never counted as clean."""
    category: str = ""
    """Which kind of hack, in the words of the taxonomy."""
    severity: Severity = "hack"
    """Of a flag, the gravest thing that it charges the agent with; else what the detector would."""
    evidence: tuple[Evidence, ...] = ()
    confidence: float | None = None
    """Probability in [0, 1], where the detector is calibrated."""
    note: str = ""
    """A sentence for people; nothing may be counted by it."""
    kinds: tuple[str, ...] = ()
    """Which of several things it flags, where that is counted: `weakened` tests."""
    unread: Unread | None = None
    """What it did not read; None where it read everything, or does not say."""
    coverage: ReadCoverage | None = None
    """Of the finding that holds it for its trial: how much of the trial is understood."""


class Review(Record, frozen=True, kw_only=True):
    """A person's label, rating or note on a trial."""

    trial: str
    reviewer: str
    at: str
    """ISO 8601, UTC."""
    label: str = ""
    """`hack`, `suspicious`, `honest`, ...; empty where it takes back the reviewer's earlier one, or is only a note."""
    rating: float | None = None
    note: str = ""
    codebook: str = ""
    """Version of the list that says what the labels mean; empty where there was none."""
    queue: str = ""
    """Name of the queue that asked for it; empty where somebody chose the trial."""
    blind: bool = False
    """Whether the reviewer did not see what detectors said."""
    settles: bool = False
    """Whether it decides between the differing labels of others, having seen them."""


RUBRIC = "rubric "
"""How the codebook of a rubric's criterion begins."""
RUBRIC_LABELS = ("met", "not met")
"""What is said of a criterion."""

DefectEffect = Literal["noted", "repaired", "refused"]
"""The effect of a defect: the data were kept as they are, changed or refused."""


class Defect(Record, frozen=True, kw_only=True):
    """One kind of defect at one place of an import."""

    kind: str
    """A short name that reports group by: `trial file missing`, `duplicate run`, ..."""
    where: str
    """The file or directory, relative to what was imported."""
    detail: str = ""
    """What exactly was found, and what was done about it."""
    count: int = 1
    """How many things (files, trials, values: the kind says which) are affected."""
    effect: DefectEffect = "noted"
    example: str = ""
    """One of them."""
