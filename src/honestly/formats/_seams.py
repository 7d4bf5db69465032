"""The tables of formats: who is read by `import --from`, written by `export --to`, judged by `verify --format`.

A new format is a file of its own and a line here. An importer is a function of a place and of what is told of
progress; it gives agents and tasks before the trials that name them, and defects at the end. Most are `FileReader`s,
whose recogniser says of a file, from its ends, whether it is of their format: so `import` needs no name, and one
directory may hold several formats. An exporter is a function of trials and of a new directory; it gives for each trial
why it was left out, or an empty text, or a `Remark` on one that was written. Trials come by agent, task and sample.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from honestly.errors import FormatError, NoResultsError
from honestly.formats._files import Tally, files_below
from honestly.formats._sources import EMPTY, UNKNOWN, FileReader, classified_files, read_files, unread_reason
from honestly.formats._table_rules import AS_IT_STANDS, TableRules
from honestly.seams import KnownName, Seam, imported_object

if TYPE_CHECKING:
    from honestly.formats._imported import Imported
    from honestly.records import Agent, Defect, Task, Trajectory, Trial

_PROBLEMS = "honestly.formats.problems"


class _Told(NamedTuple):
    trial: Trial
    agent: Agent
    task: Task
    trajectory: Trajectory | None


class Exported(_Told):
    """A trial as an exporter gets it: with its agent, task, trajectory and artifacts."""

    artifacts: Mapping[str, bytes]
    """What else was kept of it, by name; each is read when it is asked for."""

    def __new__(
        cls,
        trial: Trial,
        agent: Agent,
        task: Task,
        trajectory: Trajectory | None,
        artifacts: Mapping[str, bytes] | None = None,
    ) -> Exported:
        """The four that can be taken apart, and the artifacts beside them."""
        made = super().__new__(cls, trial, agent, task, trajectory)
        made.artifacts = artifacts or {}
        return made


class Remark(str):
    """An exporter's note on a trial that it could not write exactly."""

    __slots__ = ()


class Importer(Protocol):
    """Reads another tool's results."""

    def __call__(
        self, root: Path, progress: Callable[[str, int], None] | None = None, /
    ) -> Iterator[Agent | Task | Imported | Defect]:
        """Gives what is below `root`: agents and tasks before the trials that name them, defects last.

        Raises:
            FormatError: Nothing there can be read.
        """


class Exporter(Protocol):
    """Writes trials in another tool's format."""

    def __call__(self, trials: Iterable[Exported], folder: Path, /) -> Iterator[str]:
        """Gives for each trial why it was left out, an empty text, or a `Remark`; writes into `folder` only."""


@dataclass(frozen=True, slots=True)
class KnownReader(KnownName):
    """An importer of our own, and how it is found."""

    recogniser: str = ""
    """Of one that reads a directory as a whole: a function of a place, as `module:object`, which raises nothing."""


def _of_files(name: str, doc: str, module: str = "") -> KnownReader:
    return KnownReader(name, f"honestly.formats.{module or '_' + name.replace('-', '_')}:READER", doc)


_TB, _KERNELS = "honestly.formats.terminal_bench._study", "honestly.formats._kernelbench"
_READERS = (
    # These know a directory as a whole.
    KnownReader(
        "terminal-bench",
        f"{_TB}:read_terminal_bench",
        "results of Terminal-Bench, in its own directory layout",
        recogniser=f"{_TB}:recognises",
    ),
    KnownReader(
        "kernelbench",
        f"{_KERNELS}:read_kernelbench",
        "graded GPU kernels of kernelbench.com",
        recogniser=f"{_KERNELS}:recognises",
    ),
    # These know a file. The first that recognises one reads it, so what is special stands before what is general.
    _of_files("aider", "exercises of aider's benchmark"),
    _of_files("mini-swe-agent", "its trajectories, with SWE-bench's reports"),
    _of_files("inspect", "logs of Inspect, .eval and .json"),
    _of_files("harbor", "Harbor's trial and job directories"),
    _of_files("atif", "trajectories in ATIF, a file each", "atif._import"),
    _of_files("claude-code", "sessions of Claude Code"),
    _of_files("codex", "sessions of Codex"),
    _of_files("other-sessions", "sessions of Gemini CLI, Cursor and OpenCode"),
    _of_files("openhands", "sessions and evaluations of OpenHands"),
    _of_files("swe-agent", "trajectories of SWE-agent"),
    _of_files("swe-bench", "SWE-bench's predictions, reports, logs and summaries"),
    _of_files("adp", "trajectories in the Agent Data Protocol 1.x", "_adp_read"),
    _of_files("otel", "traces of OpenTelemetry, by its conventions for models and agents"),
    _of_files("inspect-scout", "transcripts of Inspect Scout in Parquet", "_scout"),
    _of_files("junit", "test results in JUnit's XML"),
    _of_files("rates", "leaderboards that hold rates alone: aider's, EvalPlus's"),
    _of_files("lm-eval", "samples and results of lm-evaluation-harness"),
    _of_files("graded-samples", "judged samples of HumanEval, EvalPlus, MBPP, BigCodeBench, LiveCodeBench"),
    _of_files("tau-bench", "conversations with rewards, of tau-bench, Docent and HAL"),
    _of_files("tinker", "rollouts of reinforcement learning, with rewards on visible and hidden tests"),
    _of_files("chats", "sessions of pi, Antigravity, Copilot and aider, and documents of messages"),
    _of_files("no-results", "training rows, training curves and model cards, which are refused"),
    _of_files("table", "CSV, JSON or Parquet, a row a trial or a cell"),
)

IMPORTERS = Seam(
    kind="importer", group="honestly.importers", protocol="honestly.formats.Importer", error=FormatError, known=_READERS
)
"""What can be named with `import --from`."""


# Files of a run of Terminal-Bench, and readers whose files may stand beside results of anybody.
_OF_A_RUN, _VAGUE = ("results.json", "run_metadata.json", "tb.lock"), {"table", "no-results", "rates"}


def file_readers() -> list[FileReader]:
    """The importers that know a file, in the order in which they are asked."""
    return [imported_object(reader.home) for reader in _READERS if not reader.recogniser]  # type: ignore[misc]


def importers_for(root: Path) -> str:
    """The names of the importers that can read `root`, recognised by its content.

    Raises:
        FormatError: Nothing is there, or several want the whole directory.
        NoResultsError: None of them reads it.
    """
    if not root.exists():
        raise FormatError(f"there is nothing at {root}; check the spelling")
    whole = [each.name for each in _READERS if each.recogniser and imported_object(each.recogniser)(root)]  # type: ignore[operator]
    if len(whole) == 1:
        _check_nothing_beside(root, whole[0])
        return whole[0]
    known = IMPORTERS.known_names()
    if whole:
        raise FormatError(f"{root} looks like {' and '.join(whole)}; name it with --from: {', '.join(known)}")
    claimed, rest = classified_files(file_readers(), root, Tally())
    if root.is_file() and any(head.start.startswith(b"SQLite format 3\0") for head in rest):
        raise FormatError(
            f"{root} is a database, as a study is; a study is not imported: honestly study copy, or merge"
        )
    if not claimed and not rest:
        raise NoResultsError(f"{root} contains no file; expected results, or a study")
    if not claimed:
        reasons = [unread_reason(head) for head in rest[:100]]
        odd, name = next(
            (
                (why, head.name)
                for why, head in zip(reasons, rest, strict=False)
                if not why.startswith((UNKNOWN, EMPTY))
            ),
            ("", ""),
        )
        if odd and root.is_file():
            raise NoResultsError(f"{root} cannot be read: {odd}")
        if not odd and (root / ".git").exists():
            raise NoResultsError(
                f"{root} is a git repository without results; honestly task from repo makes tasks of it"
            )
        found = reasons[0] if root.is_file() else f"{UNKNOWN}{f' ({name}: {odd})' if odd else ''}"
        raise NoResultsError(
            f"{root} is in {found}; name it with --from (honestly help import lists the formats), or, of a table, say "
            "with --columns which column is what"
        )
    return ", ".join(sorted(claimed, key=known.index))


def _check_nothing_beside(root: Path, name: str) -> None:
    """Refuses a directory in which results of other formats lie beside the runs of one that knows a directory.

    Raises:
        FormatError: It says which, and how to import both.
    """
    names = [each.split("/") for each in files_below(root, Tally())] if root.is_dir() else []
    runs = {tuple(each[:-1]) for each in names if each[-1].endswith(_OF_A_RUN)}
    apart = ["/".join(each) for each in names if not any(tuple(each[:at]) in runs for at in range(len(each)))]
    claimed, _ = classified_files(file_readers(), root, Tally(), apart) if runs and apart else ({}, [])
    if found := [each for each in claimed if each not in _VAGUE]:
        named = {tuple(each[:-1]) for each in names if each[-1] in _OF_A_RUN[1:]} or runs
        other = claimed[found[0]][0].name
        raise FormatError(
            f"{root} contains runs of {name}, such as {'/'.join(min(named)) or '.'}, and files of {', '.join(found)}, "
            f"such as {other}; import their folders one by one"
        )


def importer_of(names: str, rules: TableRules = AS_IT_STANDS) -> Importer:
    """The importer for one format, or for several formats of files.

    Args:
        names: Of the formats, with a comma between them.
        rules: What the user says of tables: their columns, scale, words.

    Raises:
        FormatError: There is no importer of that name.
    """
    several = names.split(", ")
    readers = [reader for reader in file_readers() if reader.name in several]
    if len(readers) == len(several):
        return partial(read_files, readers, rules=rules)
    found: Importer = IMPORTERS.make_object(names)
    return found


def importer_of_several(sources: Sequence[Path], rules: TableRules = AS_IT_STANDS) -> tuple[Path, Importer] | None:
    """The folder above several sources, and what reads them there as one; None if each is read alone.

    Predictions, the trajectories that left them and what judged them are one, wherever they lie.
    """
    if len(sources) < 2 or not all(map(Path.exists, sources)):
        return None
    places, readers, names = [source.resolve() for source in sources], file_readers(), set[str]()
    for place in places:
        if any(imported_object(each.recogniser)(place) for each in _READERS if each.recogniser):  # type: ignore[operator]
            return None
        claimed, _ = classified_files(readers, place, Tally())
        if not any(reader.patches and reader.name in claimed for reader in readers):
            return None
        names |= claimed.keys()
    root = Path(os.path.commonpath([place.parent for place in places]))
    only = [place.relative_to(root).as_posix() for place in places]
    return root, partial(read_files, [each for each in readers if each.name in names], rules=rules, only=only)


EXPORTERS = Seam(
    kind="exporter",
    group="honestly.exporters",
    protocol="honestly.formats.Exporter",
    error=FormatError,
    known=(
        KnownName("atif", "honestly.formats._export:export_atif", "ATIF v1.7, a file each; comes back exactly"),
        KnownName("table", "honestly.formats._export_plain:export_table", "CSV, a row a trial; comes back"),
        KnownName("junit", "honestly.formats._export_plain:export_junit", "JUnit's XML, a file an agent"),
        KnownName("otel", "honestly.formats._otel:export_otel", "OpenTelemetry's spans, a trace a line; comes back"),
        KnownName(
            "inspect", "honestly.formats._inspect_out:export_inspect", "logs of Inspect, one an agent; comes back"
        ),
        KnownName("scout", "honestly.formats._scout_out:export_scout", "transcripts of Inspect Scout; comes back"),
        KnownName(
            "harbor", "honestly.formats._harbor_out:export_harbor", "a job of Harbor, for its viewer; comes back"
        ),
        KnownName("adp", "honestly.formats._export:export_adp", "the Agent Data Protocol, a line each, for training"),
        KnownName("swe-bench", "honestly.formats._swe_bench_write:export_swe_bench", "SWE-bench's predictions"),
        KnownName("samples", "honestly.formats._samples_write:export_samples", "HumanEval's samples and results"),
        KnownName("evalplus", "honestly.formats._samples_write:export_evalplus", "EvalPlus's samples and results"),
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
