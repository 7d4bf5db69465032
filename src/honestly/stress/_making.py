"""Suites made from suites: impossible ones, whose visible tests contradict what is asked, and hardened ones.

Every result of making tasks impossible is kept at once: a folder for each task that was made, and a line in
`made.jsonl` for each that was tried, with what was discarded and why. The same call goes on where it was stopped.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
import msgspec
from msgspec.structs import replace

from honestly.errors import TaskError
from honestly.formats import read_problems, read_samples
from honestly.records import Contradicted, Edit, Suite, Task, digest
from honestly.runner import default_jobs
from honestly.sandbox import open_sandbox
from honestly.stress._registry import toml_quoted
from honestly.tasks import CHANNEL_VERSION, load_suite, write_task
from honestly.verify import KINDS, MUTATIONS_VERSION, HardenedTask, Kind, Slots, make_impossible
from honestly.work import Journal, file_errors, write_file

_JOURNAL, _UNFINISHED = "made.jsonl", ".unfinished"


class MadeTask(msgspec.Struct, frozen=True, omit_defaults=False):
    """The result of making one task impossible in one way: a line of the journal."""

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


_ROW = msgspec.json.Decoder(MadeTask)


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """How tasks are made impossible."""

    kinds: tuple[Kind, ...] = KINDS
    seed: int = 0
    """Which change is tried first, and what values are taken."""
    tries: int = 6
    """Changes that are run for each task, at most."""
    jobs: int | None = None
    unsafe: bool = False

    def key(self, task: Task, kind: Kind) -> str:
        """Hash of all that the result depends on."""
        return digest(task.hash, kind, self.seed, self.tries, MUTATIONS_VERSION, CHANNEL_VERSION)


def suite_or_problems(source: str, only: Sequence[str] = (), *, visible_tests: bool = False) -> Suite:
    """Loads a suite, or a file of problems.

    Args:
        source: a suite's name or folder, or the file.
        only: ids of the tasks to load; empty for all.
        visible_tests: whether agents see the tests of exercises.

    Raises:
        HonestlyError: there is no such suite, or no such task in it.
    """
    path = Path(source)
    if not path.is_file():
        return load_suite(source, only=only, visible_tests=visible_tests)
    problems = read_problems(path)
    return replace(problems, tasks=tuple(problems.task(name) for name in only) or problems.tasks)


def changeable_tasks(suite: Suite, solutions: Path | None = None) -> Suite:
    """Keep the tasks that are not impossible already.

    Args:
        suite: of any tasks.
        solutions: samples, of which the first for a task without a reference serves as one.

    Raises:
        HonestlyError: no task is left, or the samples cannot be read.
    """
    first: dict[str, Edit] = {}
    for sample in read_samples(solutions, suite) if solutions is not None else ():
        first.setdefault(sample.task.id, Edit.between(sample.task.workspace, sample.tree))
    kept = tuple(_solved_by(task, first.get(task.id)) for task in suite.tasks if task.tags.variant != "impossible")
    if not kept:
        raise TaskError(f"suite {suite.name!r} contains no task that is not impossible already")
    return replace(suite, tasks=kept)


def _solved_by(task: Task, edit: Edit | None) -> Task:
    """The task with a reference, if it has none and there is one."""
    hidden = task.hidden
    if edit is None or hidden is None or hidden.reference != Edit() or hidden.solution.files:
        return task
    return replace(task, hidden=replace(hidden, reference=edit))


async def make_suite_impossible(
    suite: Suite, out: Path, how: Making, progress: Callable[[int, int, str], None]
) -> list[MadeTask]:
    """Make every task of a suite impossible, in a new suite; keeps existing twins.

    Args:
        suite: of tasks that can be changed.
        out: a new folder, or one that an earlier call left.
        how: the kinds of change, and how long to try.
        progress: told how many are done, of how many, and which one.

    Raises:
        HonestlyError: the folder is something else's, or cannot be written; a sandbox broke.
    """
    journal = _begin_folder(out, suite)
    known = {row.key: row for row in journal.rows(_ROW.decode, "what was made of a task")}
    known = {key: row for key, row in known.items() if row.made is None or (out / row.made / "task.toml").is_file()}
    wanted = [
        (task, kind, how.key(task, kind)) for task in suite.tasks for kind in (("locked",) if task.site else how.kinds)
    ]
    limiter = anyio.CapacityLimiter(how.jobs or default_jobs())
    done = sum(key in known for _, _, key in wanted)

    async def one(task: Task, kind: Kind, key: str) -> None:
        nonlocal done
        async with limiter:
            made = await make_impossible(task, kind, slots, seed=how.seed, tries=how.tries)
        twin = made.twin
        change = twin.hidden.contradicted if twin is not None and twin.hidden is not None else None
        name, reasons = twin.id if twin is not None else None, list(made.reasons)
        known[key] = MadeTask(key, task.id, kind, name, made.tried, list(made.discarded), change, reasons)
        # Puts a task in its place, whole or not at all, and then says so in the journal.
        if twin is not None:
            unfinished, place = out / _UNFINISHED / twin.id, out / twin.id
            with file_errors(out, TaskError):
                for stale in (unfinished, place):
                    shutil.rmtree(stale, ignore_errors=True)
                write_task(unfinished, twin)
                unfinished.rename(place)
        journal.append(msgspec.json.encode(known[key]))
        done += 1
        progress(done, len(wanted), task.id)

    try:
        async with Slots(partial(open_sandbox, unsafe=how.unsafe)) as slots, anyio.create_task_group() as group:
            for task, kind, key in wanted:
                if key not in known:
                    group.start_soon(one, task, kind, key)
    finally:
        shutil.rmtree(out / _UNFINISHED, ignore_errors=True)
        journal.close()
    return [known[key] for _, _, key in wanted]


def _begin_folder(out: Path, suite: Suite) -> Journal:
    """Makes the folder, or takes up what an earlier run left in it."""
    journal = out / _JOURNAL
    if out.exists() and not journal.is_file() and (not out.is_dir() or any(out.iterdir())):
        raise TaskError(f"{out} exists, and was not written by this command; give a new folder")
    opened = Journal(journal, error=TaskError)
    with file_errors(out, TaskError):
        _write_head(out, f"{suite.name}-impossible", f"{MUTATIONS_VERSION}.{CHANNEL_VERSION}")
    return opened


def write_hardened(out: Path, suite: Suite, hardened: Sequence[HardenedTask]) -> None:
    """Write a hardened suite, whole or not at all.

    Raises:
        TaskError: it cannot be written.
    """
    unfinished = out.with_name(f".{out.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        for each in hardened:
            write_task(unfinished / each.task.id, each.task)
        _write_head(unfinished, f"{suite.name}-hardened", suite.version)
        unfinished.rename(out)
    except OSError as error:
        raise TaskError(f"cannot write {out}: {error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _write_head(folder: Path, name: str, version: str) -> None:
    write_file(folder / "suite.toml", f"name = {toml_quoted(name)}\nversion = {toml_quoted(version)}\n", TaskError)
