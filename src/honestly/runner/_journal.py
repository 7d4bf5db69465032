"""Steps of a trial in flight, on disk as they happen: what is left of one that never ended.

A trial that ends is stored whole, and its journal goes away. One that is interrupted, or whose process is killed,
leaves its journal in the folder beside the study: a line for each step, the last line with a number counting, since a
step is written again when it gains observations. Running it again does not touch what the earlier attempt left.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self, SupportsIndex

from honestly.errors import FormatError, StoreError
from honestly.records import Record, Step, decode, encode


class _Line(Record, frozen=True, kw_only=True):
    n: int
    step: Step


class Journal(list[Step]):
    """A list of steps that writes each down."""

    def __init__(self, path: Path) -> None:
        """An empty one; the file is made with the first step."""
        super().__init__()
        self._path = path
        self._file: int | None = None

    def append(self, step: Step, /) -> None:
        """Adds a step."""
        super().append(step)
        self._write(len(self) - 1, step)

    def extend(self, steps: Iterable[Step], /) -> None:
        """Adds steps."""
        for step in steps:
            self.append(step)

    def __iadd__(self, steps: Iterable[Step], /) -> Self:  # type: ignore[override,misc]
        self.extend(steps)
        return self

    def __setitem__(self, at: SupportsIndex | slice, step: Step | Iterable[Step], /) -> None:
        super().__setitem__(at, step)  # type: ignore[index,assignment]
        if isinstance(step, Step) and not isinstance(at, slice):
            self._write(at.__index__() % len(self), step)

    def close(self) -> None:
        """Closes the file; idempotent."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self, n: int, step: Step) -> None:
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with suppress(UnicodeEncodeError):  # what is not text is made text when the trial is stored
            os.write(self._file, encode(_Line(n=n, step=step)) + b"\n")


@contextmanager
def journal(folder: Path | None, trial: str) -> Iterator[list[Step]]:
    """A list for the steps of a trial; on disk where there is a folder, until the block ends without an exception."""
    if folder is None:
        yield []
        return
    number = sum(1 for _ in folder.glob(f"{trial}.*")) if folder.is_dir() else 0
    path = folder / f"{trial}.{number}.jsonl"
    steps = Journal(path)
    try:
        yield steps
    finally:
        steps.close()
    path.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def read_journal(path: Path) -> tuple[Step, ...]:
    """The steps that a journal holds; a last line that was torn is passed over.

    Raises:
        StoreError: It cannot be read.
    """
    steps: dict[int, Step] = {}
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise StoreError(f"the journal {path} cannot be read: {error}") from error
    for line in lines[:-1]:
        with suppress(FormatError):
            read = decode(line, _Line)
            steps[read.n] = read.step
    return tuple(steps[n] for n in sorted(steps))


def unfinished_folder(study: Path) -> Path:
    """Where the journals of a study's trials lie."""
    return study.with_name(f"{study.name}.unfinished")
