"""A private copy of a study, for when reading it in place would leave something beside it or is not possible.

SQLite reads a log only with a file of shared memory beside it. Where a writer has been killed and that file is lost, or
the disk takes no new file, study and log are copied to a temporary directory.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from honestly.errors import StoreError


def has_wal(path: Path) -> bool:
    """Whether a write-ahead log with content lies beside the study."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        return False


def needs_copy(path: Path) -> bool:
    """Whether there is a log, but not the file that SQLite would have to make in order to read it."""
    return has_wal(path) and not path.with_name(path.name + "-shm").exists()


def copy_study(path: Path) -> Path:
    """Copy study and log to a new temporary directory, which the caller removes; returns the copy.

    Raises:
        StoreError: there is no room, or the study cannot be read.
    """
    folder = Path(tempfile.mkdtemp(prefix="honestly-"))
    try:
        shutil.copyfile(path, folder / path.name)
        if has_wal(path):
            name = path.name + "-wal"
            shutil.copyfile(path.with_name(name), folder / name)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise StoreError(
            f"cannot read {path}, not even by way of a copy in {folder.parent}: {error.strerror}"
        ) from error
    return folder / path.name


@contextmanager
def private_copy(path: Path) -> Iterator[Path]:
    """A copy that is gone afterwards."""
    copy = copy_study(path)
    try:
        yield copy
    finally:
        shutil.rmtree(copy.parent, ignore_errors=True)
