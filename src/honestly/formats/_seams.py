"""The tables of formats: who is read by `import --from`, written by `export --to`, judged by `verify --format`.

A new format is a file of its own and a line here. An importer is a function of a place and of what is told of
progress; it gives agents and tasks before the trials that name them, and defects at the end. Its recogniser says of a
place, from a bounded look at the content, whether that is its format: so `import` needs no name. An exporter is a
function of trials and of a new directory; it gives for each trial why it was left out, or an empty text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from honestly.errors import FormatError
from honestly.seams import KnownName, Seam, imported

if TYPE_CHECKING:
    from honestly.formats._imported import Imported
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


@dataclass(frozen=True, slots=True)
class KnownReader(KnownName):
    """An importer of our own, and how it is found."""

    recogniser: str = ""
    """A function of a place, as `module:object`: whether this importer reads it. It raises nothing."""


def _reader(name: str, module: str, function: str, doc: str) -> KnownReader:
    home = f"honestly.formats.{module}"
    return KnownReader(name, f"{home}:{function}", doc, recogniser=f"{home}:recognises")


_READERS = (
    _reader(
        "terminal-bench",
        "terminal_bench._study",
        "read_terminal_bench",
        "results of Terminal-Bench, in its own directory layout",
    ),
    _reader("mini-swe-agent", "_mini_swe_agent", "read_mini_swe_agent", "its trajectories, with SWE-bench's reports"),
    _reader("kernelbench", "_kernelbench", "read_kernelbench", "graded GPU kernels of kernelbench.com"),
    _reader("atif", "atif._import", "read_atif", "trajectories in ATIF, a file each"),
    _reader("table", "_table", "read_trial_table", "CSV, TSV or JSON, a row a trial or a cell"),
)

IMPORTERS = Seam(
    kind="importer",
    group="honestly.importers",
    protocol="honestly.formats.Importer",
    error=FormatError,
    known=_READERS,
)
"""What can be named with `import --from`."""


def recognised(root: Path) -> str:
    """The name of the one importer that reads what lies at `root`, which is found by looking at the content.

    Raises:
        FormatError: Nothing is there, or none of them reads it, or several do.
    """
    if not root.exists():
        raise FormatError(f"there is nothing at {root}")
    found = [reader.name for reader in _READERS if imported(reader.recogniser)(root)]  # type: ignore[operator]
    if len(found) == 1:
        return found[0]
    what = f"looks like {' and '.join(found)}" if found else "is in no format that is known by its content"
    raise FormatError(f"{root} {what}; name it with --from: {', '.join(IMPORTERS.names())}, or MODULE:OBJECT")


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
