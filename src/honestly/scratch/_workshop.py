"""Folders in which something is made that is then moved to its place: in a cache, say, on the same file system.

Who makes something holds its folder locked (flock). One that nobody holds is of a program that was killed; the next to
make something there removes it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from honestly.scratch._delete import lock_folder
from honestly.scratch._scratch import delete_scratch_folder


@contextmanager
def temporary_workshop(place: Path) -> Iterator[Path]:
    """A new folder in `place`, of this user's alone; gone after the block, with what is still in it.

    Raises:
        OSError: None can be made there.
    """
    place.mkdir(parents=True, exist_ok=True)
    clear_workshops(place)
    path, lock = _made(place)
    try:
        yield path
    finally:
        delete_scratch_folder(path)
        os.close(lock)


def clear_workshops(place: Path) -> int:
    """Delete the unused folders in `place`, and return how many."""
    gone = 0
    for path in place.iterdir() if place.is_dir() else ():
        with suppress(OSError):  # it is no folder, in use, or just being removed
            lock = lock_folder(path)
            delete_scratch_folder(path)
            gone += not path.exists()
            os.close(lock)
    return gone


def _made(place: Path) -> tuple[Path, int]:
    while True:
        path = place / token_hex(8)
        path.mkdir(mode=0o700)
        with suppress(FileNotFoundError, BlockingIOError):  # somebody took it for a left one before it was locked
            return path, lock_folder(path)
