"""The tables of formats: who is read by `import --from`, written by `export --to`, judged by `verify --format`.

A new format is a file of its own and a line here. An importer is a function of a place and of what is told of progress;
it gives agents and tasks before the trials that name them, and defects at the end. An exporter is a function of trials
and of a new directory; it gives for each trial why it was left out, or an empty text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from honestly.errors import FormatError
from honestly.seams import KnownName, Seam

if TYPE_CHECKING:
    from honestly.formats.terminal_bench._study import Imported
    from honestly.records import Agent, Defect, Task, Trajectory, Trial

_PROBLEMS = "honestly.formats.problems"


class Exported(NamedTuple):
    """A trial with what belongs to it, as an exporter gets it."""

    trial: Trial
    agent: Agent
    task: Task
    trajectory: Trajectory | None


class Importer(Protocol):
    """Reads somebody else's results."""

    def __call__(
        self, root: Path, progress: Callable[[str, int], None] | None = None, /
    ) -> Iterator[Agent | Task | Imported | Defect]:
        """Gives what is below `root`: agents and tasks before the trials that name them, defects last.

        Raises:
            FormatError: Nothing there can be read.
        """


class Exporter(Protocol):
    """Writes trials in somebody else's format."""

    def __call__(self, trials: Iterable[Exported], folder: Path, /) -> Iterator[str]:
        """Gives for each trial why it was left out, or an empty text; writes into `folder` only."""


IMPORTERS = Seam(
    kind="importer",
    group="honestly.importers",
    protocol="honestly.formats.Importer",
    error=FormatError,
    known=(
        KnownName(
            "terminal-bench",
            "honestly.formats.terminal_bench._study:read_terminal_bench",
            "results of Terminal-Bench, in its own directory layout",
        ),
        KnownName("atif", "honestly.formats.atif._import:read_atif", "trajectories in ATIF, a file each"),
        KnownName("table", "honestly.formats._table:read_trial_table", "CSV, TSV or JSON, a row a trial or a cell"),
    ),
)
"""What can be named with `import --from`."""

EXPORTERS = Seam(
    kind="exporter",
    group="honestly.exporters",
    protocol="honestly.formats.Exporter",
    error=FormatError,
    known=(
        KnownName("atif", "honestly.formats._export:export_atif", "ATIF v1.7, a file each; comes back exactly"),
        KnownName("adp", "honestly.formats._export:export_adp", "the Agent Data Protocol, a line each, for training"),
    ),
)
"""What can be named with `export --to`."""

PROBLEMS = Seam(
    kind="format of problems",
    group="honestly.problems",
    protocol="honestly.formats.ProblemFormat",
    error=FormatError,
    known=(
        # EvalPlus before HumanEval, whose keys its HumanEval+ has too.
        KnownName("evalplus", f"{_PROBLEMS}._evalplus:FORMAT", "EvalPlus's problems (HumanEval+, MBPP+)"),
        KnownName("humaneval", f"{_PROBLEMS}._humaneval:FORMAT", "HumanEval's problems, and others in its format"),
        KnownName("mbpp", f"{_PROBLEMS}._mbpp:FORMAT", "MBPP's problems, sanitized or full"),
        KnownName("livecodebench", f"{_PROBLEMS}._livecodebench:FORMAT", "LiveCodeBench's problems"),
    ),
)
"""What can be named with `verify --format`; the first whose keys a file has is taken where none is named."""
