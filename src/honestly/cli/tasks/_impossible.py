"""Making a suite impossible, and showing what came of it: kept from `_tasks.py` so that help loads none of it.

Every result is kept at once: a folder for each task that was made, and a line in `made.jsonl` for each that was tried,
with what was discarded and why. The same command goes on where it was stopped.
"""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
import msgspec
from msgspec.structs import replace
from rich.console import Console
from rich.markup import escape

from honestly.cli._options import Line, plain
from honestly.cli._study import on_this_machine
from honestly.errors import TaskError
from honestly.formats import read_problems, read_samples
from honestly.records import Contradicted, Edit, Suite, Task, digest
from honestly.runner import default_jobs
from honestly.sandbox import open_sandbox
from honestly.tasks import CHANNEL_VERSION, load_suite, write_task
from honestly.verify import KINDS, MUTATIONS_VERSION, Kind, Slots, make_impossible

_JOURNAL, _SUITE, _UNFINISHED = "made.jsonl", "suite.toml", ".unfinished"
_SHOWN = 8


class Row(msgspec.Struct, frozen=True, omit_defaults=False):
    """What came of one task and one kind: a line of the journal."""

    key: str
    """Hash of all that the result depends on."""
    task: str
    kind: str
    made: str | None
    """Id of the impossible task; null where there is none."""
    tried: int
    discarded: list[str]
    change: Contradicted | None = None
    reasons: list[str] = []
    """Of each of the discarded without its place; empty in journals that were begun before there was this field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the command line said."""

    suite: str
    out: Path
    kinds: tuple[Kind, ...] = KINDS
    seed: int = 0
    tries: int = 6
    only: tuple[str, ...] = ()
    solutions: Path | None = None
    visible_tests: bool = False
    jobs: int | None = None
    unsafe: bool = False


def standard(request: Request) -> Suite:
    """The tasks that can be changed: of a folder, or of a file of problems, less what is impossible already.

    Raises:
        HonestlyError: there is no such suite, or nothing in it.
    """
    path = Path(request.suite)
    loaded = (
        read_problems(path)
        if path.is_file()
        else load_suite(request.suite, only=request.only, visible_tests=request.visible_tests)
    )
    if path.is_file() and request.only:
        loaded = replace(loaded, tasks=tuple(loaded.task(name) for name in request.only))
    if request.solutions is not None:
        loaded = _with_references(loaded, request.solutions)
    kept = tuple(task for task in loaded.tasks if task.tags.variant != "impossible")
    if not kept:
        raise TaskError(f"suite {loaded.name!r} holds no task that is not impossible already")
    return on_this_machine(replace(loaded, tasks=kept))[0]


def _with_references(suite: Suite, solutions: Path) -> Suite:
    """The suite, with the first sample of each problem as the reference of a task that has none."""
    first: dict[str, Edit] = {}
    for sample in read_samples(solutions, suite):
        first.setdefault(sample.task.id, Edit.between(sample.task.workspace, sample.tree))
    return replace(suite, tasks=tuple(_solved_by(task, first.get(task.id)) for task in suite.tasks))


def _solved_by(task: Task, edit: Edit | None) -> Task:
    """The task with a reference, if it has none and there is one."""
    hidden = task.hidden
    if edit is None or hidden is None or hidden.reference != Edit() or hidden.solution.files:
        return task
    return replace(task, hidden=replace(hidden, reference=edit))


def make_all(request: Request, suite: Suite, line: Line) -> list[Row]:
    """Makes what is not made yet; all rows, in the suite's order.

    Raises:
        HonestlyError: the folder is something else's, or cannot be written; a sandbox broke.
    """
    known = _begin(request, suite)
    try:
        rows = anyio.run(_make_all, request, suite, known, line)
    finally:
        shutil.rmtree(request.out / _UNFINISHED, ignore_errors=True)
    return rows


async def _make_all(request: Request, suite: Suite, known: dict[str, Row], line: Line) -> list[Row]:
    wanted = {(task.id, kind): _key(request, task, kind) for task in suite.tasks for kind in request.kinds}
    limiter = anyio.CapacityLimiter(request.jobs or default_jobs())
    done = sum(key in known for key in wanted.values())

    async def one(task: Task, kind: Kind) -> None:
        nonlocal done
        async with limiter:
            made = await make_impossible(task, kind, slots, seed=request.seed, tries=request.tries)
        key = wanted[task.id, kind]
        change = made.twin.hidden.contradicted if made.twin is not None and made.twin.hidden is not None else None
        name = made.twin.id if made.twin is not None else None
        known[key] = Row(key, task.id, kind, name, made.tried, list(made.discarded), change, list(made.reasons))
        _keep(request.out, known[key], made.twin)
        done += 1
        line(done, len(wanted), task.id)

    slots = Slots(partial(open_sandbox, unsafe=request.unsafe))
    async with slots, anyio.create_task_group() as group:
        for task in suite.tasks:
            for kind in request.kinds:
                if wanted[task.id, kind] not in known:
                    group.start_soon(one, task, kind)
    return [known[key] for key in wanted.values()]


def _begin(request: Request, suite: Suite) -> dict[str, Row]:
    """Makes the folder, or reads what an earlier run left in it: the rows whose tasks are there, by key."""
    out = request.out
    journal = out / _JOURNAL
    if out.exists() and not journal.is_file() and (not out.is_dir() or any(out.iterdir())):
        raise TaskError(f"{out} exists, and was not written by this command; give a new folder")
    try:
        out.mkdir(parents=True, exist_ok=True)
        journal.touch()
        name = plain(f"{suite.name}-impossible").replace("\\", "_").replace('"', "_").replace("\n", " ")
        version = f"{MUTATIONS_VERSION}.{CHANNEL_VERSION}"
        (out / _SUITE).write_text(f'name = "{name}"\nversion = "{version}"\n', "utf-8")
        lines = journal.read_bytes().splitlines()
    except OSError as error:
        raise TaskError(f"cannot write {out}: {error}") from error
    rows = [row for row in map(_row, lines) if row is not None]
    return {row.key: row for row in rows if row.made is None or (out / row.made / "task.toml").is_file()}


def _row(line: bytes) -> Row | None:
    """A line of the journal; None for one that was torn when a run was killed."""
    try:
        return msgspec.json.decode(line, type=Row)
    except msgspec.DecodeError:
        return None


def _keep(out: Path, row: Row, twin: Task | None) -> None:
    """Puts a task in its place, whole or not at all, and then says so in the journal."""
    try:
        if twin is not None:
            unfinished, place = out / _UNFINISHED / twin.id, out / twin.id
            for stale in (unfinished, place):
                if stale.exists():
                    shutil.rmtree(stale)
            write_task(unfinished, twin)
            unfinished.rename(place)
        with (out / _JOURNAL).open("ab") as journal:
            journal.write(b"\n" * _torn(out / _JOURNAL) + msgspec.json.encode(row) + b"\n")
    except OSError as error:
        raise TaskError(f"cannot write {out}: {error}") from error


def _torn(journal: Path) -> bool:
    """Whether the journal's last line was cut off, because a run was killed."""
    size = journal.stat().st_size
    with journal.open("rb") as file:
        file.seek(max(0, size - 1))
        return size > 0 and file.read(1) != b"\n"


def _key(request: Request, task: Task, kind: Kind) -> str:
    return digest(task.hash, kind, request.seed, request.tries, MUTATIONS_VERSION, CHANNEL_VERSION)


def show_made(rows: Sequence[Row], out: Path) -> None:
    """Prints what was made, how much was discarded, and why."""
    console = Console()
    for kind in dict.fromkeys(row.kind for row in rows):
        own = [row for row in rows if row.kind == kind]
        made, tried = sum(row.made is not None for row in own), sum(row.tried for row in own)
        console.print(
            f"{kind}: {made} of {len(own)} tasks made impossible; {tried} changes run, {tried - made} discarded"
        )
    reasons = Counter(reason for row in rows for reason in row.reasons or row.discarded)
    for reason, count in reasons.most_common(_SHOWN):
        console.print(f"  [dim]discarded {count}:[/] {escape(plain(reason[:160]))}", soft_wrap=True)
    console.print(
        f"[dim]{escape(plain(str(out)))} is a suite: honestly run {escape(plain(str(out)))} --agent ...[/]",
        soft_wrap=True,
    )
