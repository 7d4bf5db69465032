"""Temporary folders in the place of the program that makes them."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from honestly.scratch._delete import delete_folder, entered_folder
from honestly.scratch._owner import BESIDE, own_place


def make_scratch_folder(kind: str, *, in_memory: bool = False) -> Path:
    """A new private folder, which the caller deletes; a later run removes it otherwise.

    Where no place can be made for such folders, it lies beside other programs', and who is killed leaves it.

    Args:
        kind: What it is for; its name begins so.
        in_memory: Put it in the machine's memory, where the machine has a place for that.

    Raises:
        OSError: No folder can be made.
    """
    try:
        return Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=own_place(in_memory=in_memory).path))
    except OSError:
        return Path(tempfile.mkdtemp(prefix=f"honestly-{kind}-"))


def delete_scratch_folder(folder: Path) -> None:
    """Delete a folder, as far as that is possible."""
    with suppress(OSError), entered_folder(folder.parent) as parent:
        delete_folder(folder.name, parent)


@contextmanager
def short_scratch_folder(kind: str) -> Iterator[Path]:
    """A temporary folder with a short name, for sockets: beside the places of programs, with a note in this one's.

    Raises:
        OSError: No folder can be made.
    """
    folder = Path(tempfile.gettempdir(), f"{kind}-{token_hex(4)}")
    with suppress(OSError):
        (own_place().path / f"{BESIDE}{folder.name}").mkdir()
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        delete_scratch_folder(folder)


@contextmanager
def scratch_folder(kind: str, *, in_memory: bool = False) -> Iterator[Path]:
    """A temporary folder that is gone after the block; see `make_scratch_folder`."""
    folder = make_scratch_folder(kind, in_memory=in_memory)
    try:
        yield folder
    finally:
        delete_scratch_folder(folder)
