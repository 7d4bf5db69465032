"""The lock of the one writer of a study or a journal: it dies with its process.

A POSIX record lock on a file beside the study (`NAME-lock`), not on the study itself: closing any descriptor of a file
drops all of the process's POSIX locks on it, SQLite's among them. A record lock belongs to the process, so that a child
that outlives a killed writer does not keep the study locked, as it would with `flock`. Within one process a record lock
does not conflict with itself; a set of held locks closes that gap. The file is removed on release; one that a killed
process left behind is harmless.
"""

import fcntl
import os
import struct
import threading
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from honestly.errors import StoreError, StudyBusyError
from honestly.work._files import file_error_text

_held: set[tuple[int, int]] = set()
"""Device and inode of each lock file that this process holds."""
_guard = threading.Lock()


class WriterLock(AbstractContextManager["WriterLock"]):
    """Exclusive right to write the study at `path`, from construction to `release`, or to the end of a `with`.

    Raises:
        StudyBusyError: another process, or another store of this process, is writing the study.
        StoreError: the directory does not allow it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + "-lock")
        with _guard:
            while not self._acquire(path):
                pass

    def _acquire(self, study: Path) -> bool:
        """Take the lock; False where its file was removed in between by the one who released it."""
        if _inode_of(self.path) in _held:
            # Not opened to find out: closing it again would drop the lock that this process holds.
            raise StudyBusyError(f"{study} is already open for writing in this process; close it first")
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise StoreError(file_error_text(error, study)) from error
        status = os.fstat(fd)
        key = (status.st_dev, status.st_ino)
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(fd, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(fd)
            raise StudyBusyError(
                f"another process ({holder}) is writing {study}; wait for it, or stop it. Reading is possible meanwhile"
            ) from error
        if _inode_of(self.path) != key:
            os.close(fd)
            return False
        with suppress(OSError):  # a full disk: who holds it is not said then, and it is held all the same
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"pid {os.getpid()}\n".encode(), 0)
        _held.add(key)
        self._fd, self._key, self._pid = fd, key, os.getpid()
        return True

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let others write. Does nothing in a forked child, which never held the lock."""
        with _guard:
            if self._fd < 0 or self._pid != os.getpid():
                return
            # Removed while still locked, so that nobody can lock a file that is about to vanish unnoticed.
            self.path.unlink(missing_ok=True)
            os.close(self._fd)
            _held.discard(self._key)
            self._fd = -1


_FLOCK = "hhqqi"
"""Kind, whence, start, length and owner of a record lock (`struct flock`)."""


def writer_of(study: Path) -> int | None:
    """The id of the process that writes the study on this machine; None where none does. Nothing is locked."""
    path = study.with_name(study.name + "-lock")
    with _guard:
        if _inode_of(path) in _held:
            return os.getpid()  # not opened: closing it again would drop the lock that this process holds
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            kind, *_, owner = struct.unpack(_FLOCK, fcntl.fcntl(fd, fcntl.F_GETLK, asked))
        except OSError:
            return None
        finally:
            os.close(fd)
    return None if kind == fcntl.F_UNLCK else int(owner)


def _inode_of(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)
