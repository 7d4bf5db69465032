"""The results of everything that was tried, kept beside the tasks: the same command goes on where it was stopped."""

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from honestly.errors import TaskError
from honestly.records import Record
from honestly.taskgen._from_commit import NOT_HERE, TaskMade
from honestly.taskgen._repository import Commit
from honestly.work import Journal, read_journal

T = TypeVar("T")


class MinedTask(Record, frozen=True, kw_only=True):
    """The result for one commit, one bug or one step."""

    revision: str
    day: str
    subject: str
    """The commit's; of a bug or a step, what tells it from others."""
    task: str | None = None
    fail_to_pass: int = 0
    pass_to_pass: int = 0
    flaky: tuple[str, ...] = ()
    refused: str | None = None
    """Why there is no task; for those that nobody ran, too."""
    seconds: float | None = None
    """How long it took; None where nothing was run."""


_MINED = msgspec.json.Decoder(MinedTask)
Progress = Callable[[int, int, MinedTask], None]
"""Told how many there are, of how many that are wanted, and the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedTasks:
    """How many tasks, and in which order things are tried."""

    count: int = 30
    seed: int = 0
    without: frozenset[str] = frozenset()
    """Functions that no task may be made of, as `path::Class::name`."""


class MiningJournal:
    """A file of results, one to a line; to add some, one program at a time opens it in a `with`."""

    def __init__(self, into: Path, name: str, kind: str) -> None:
        self._into, self._kind, self.place = into, kind, into / f"{name}.{kind}.jsonl"

    def __enter__(self) -> Self:
        self._file = Journal(self.place, kind=self._kind, error=TaskError)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def rows(self) -> Iterator[MinedTask]:
        """What is kept, without tasks whose folders are gone, and what this machine lacked something for.

        Raises:
            TaskError: it cannot be read.
        """
        for row in read_journal(self.place, _MINED.decode, "what became of a task", kind=self._kind, error=TaskError):
            here = row.refused is None or not row.refused.startswith(NOT_HERE)
            if here and (row.task is None or (self._into / row.task).is_dir()):
                yield row

    def keep(self, row: MinedTask) -> None:
        """Adds a result. Raises TaskError where it cannot be written."""
        self._file.append(msgspec.json.encode(row))


def mined_row(commit: Commit, made: TaskMade, seconds: float | None, subject: str = "") -> MinedTask:
    """The result for a source, as it is kept."""
    return MinedTask(
        revision=commit.sha, day=commit.day, subject=subject or commit.message.partition("\n")[0][:120],
        task=made.task, fail_to_pass=len(made.fail_to_pass), pass_to_pass=len(made.pass_to_pass), flaky=made.flaky,
        refused=made.refused, seconds=None if seconds is None else round(seconds, 1),
    )  # fmt: skip


async def until_enough(
    items: Sequence[tuple[str, T]], make: Callable[[T], Awaitable[TaskMade]], commit: Commit, journal: MiningJournal,
    count: int, progress: Progress,
) -> list[MinedTask]:  # fmt: skip
    """Makes tasks of things until there are enough; what was tried before is not tried again."""
    names = {name for name, _ in items}
    with journal:
        done = {row.subject: row for row in journal.rows() if row.revision == commit.sha and row.subject in names}
        for name, item in items:
            made = sum(row.task is not None for row in done.values())
            if made >= count:
                break
            if name not in done:
                start = time.monotonic()
                done[name] = mined_row(commit, await make(item), time.monotonic() - start, name)
                journal.keep(done[name])
                progress(made + (done[name].task is not None), count, done[name])
    return list(done.values())
