"""Steps of a trial in flight, on disk as they happen: what others see of it, and what is left if it never ends.

A trial that ends is stored whole, and its journal goes away. One that is interrupted, or whose process is killed,
leaves its journal in the folder beside the study (`store/_live.py`). Running it again does not touch what the earlier
attempt left. No trial depends on it: where nothing can be written, that is said once, and the steps are kept in memory.
"""

import logging
import os
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import count
from pathlib import Path
from typing import Self, SupportsIndex

from msgspec.structs import replace

from honestly.records import Step, encode
from honestly.runner._storable import storable_record
from honestly.store import JournalLine, Running, process_name

_told: set[Path] = set()
"""Folders of which it was said that nothing can be written there."""


class WrittenSteps(list[Step]):
    """A list of steps that writes each down, as a line of a trial's journal; the journal lasts as long as its block."""

    __slots__ = ("_lost", "_new", "_note", "_path")

    def __init__(self, path: str, note: str) -> None:
        """An empty one; the file is made with the first step, and open only while a step is written.

        Args:
            path: the journal.
            note: says that the trial runs.
        """
        super().__init__()
        self._path, self._note = path, note
        self._new = os.O_CREAT | os.O_EXCL
        self._lost = False

    def __enter__(self) -> list[Step]:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        with suppress(OSError):
            Path(self._note).unlink(missing_ok=True)
            if error is None:
                Path(self._path).unlink(missing_ok=True)

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

    def _write(self, n: int, step: Step) -> None:
        if self._lost:
            return
        # Arguments of calls stand there as they were sent; a line break between their tokens is only a space.
        line = encode(JournalLine(n=n, step=storable_record(step))).replace(b"\n", b" ") + b"\n"
        try:
            how = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | self._new
            file, self._new = os.open(self._path, how, 0o600), 0
            try:
                while line:
                    line = line[os.write(file, line) :]
            finally:
                os.close(file)
        except OSError as error:
            self._lost = True  # a later step after a torn line would not be what happened next
            _warn_once(Path(self._path).parent, error)


def written_steps(folder: Path | None, running: Running) -> AbstractContextManager[list[Step]]:
    """A list for the steps of a trial; on disk where there is a folder, until the block ends without an exception.

    Args:
        folder: where; None to keep them in memory only.
        running: which trial. While the block runs, others find it by `live_trials`.
    """
    if folder is None:
        return nullcontext([])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # One by one: with thousands in flight, a look through the folder for each would be slow.
        number = next(n for n in count() if not (folder / f"{running.id}.{n}.jsonl").exists())
        name, note = folder / f"{running.id}.{number}.jsonl", folder / f"{running.id}.{number}.running"
        note.write_bytes(encode(replace(running, process=process_name(), journal=name.name)))
        return WrittenSteps(str(name), str(note))  # texts take less than paths
    except (OSError, ValueError) as error:  # a name that is no text
        _warn_once(folder, error)
        return nullcontext([])


def _warn_once(folder: Path, error: Exception) -> None:
    if folder not in _told:
        _told.add(folder)
        logging.getLogger("honestly").warning(
            "trials go on, but their steps cannot be written down as they happen: %s: %s", folder, error
        )
