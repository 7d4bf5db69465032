"""A file of lines that grows as work is done, and from which the same command goes on where it was stopped.

A line is there, whole, when `append` returns: whatever happens to the program then, it stays. A kill while one is
written leaves a part of it at the end, which is no line, and which the next `append` cuts off; a full disk leaves
nothing. `close` waits until all is on the disk: a power failure before that may lose the last lines, never whole lines
before them.

One program at a time writes (`WriterLock`, as long as the journal is open), unless it is `shared`: then each `append`
has the file for itself, and nobody waits for the disk. A journal that has a `kind` begins with a line that names it and
its version; those that have no such line are read too.
"""

import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self, TypeVar

from honestly.errors import HonestlyError, StoreError, StudyTooNewError
from honestly.work._files import file_error_text, file_errors
from honestly.work._lock import WriterLock

T = TypeVar("T")
_LONGEST = 1 << 30
_BLOCK = 1 << 16
_BEGINS = (b"{", b'"', b"\0")
"""How what is left of a line begins: lines are JSON objects or texts, and a power failure leaves zeros."""


class Journal:
    """A journal that is open for writing, from construction to `close` or to the end of a `with`."""

    def __init__(
        self,
        path: Path,
        *,
        kind: str = "",
        version: int = 1,
        error: type[HonestlyError] = StoreError,
        mode: int = 0o644,
        shared: bool = False,
    ) -> None:
        """Opens it; folders and the file are made where there are none.

        Args:
            path: the file.
            kind: what its first line calls it, and the version there; empty for files that others read as well.
            version: of what its lines hold.
            error: what is raised where it cannot be written or read.
            mode: permissions of a new file.
            shared: whether others may write it at the same time.

        Raises:
            error: it cannot be written, or is no file.
            StudyBusyError: another process is writing it.
        """
        self.path = Path(os.path.realpath(path))
        self._kind, self._version, self._error, self._shared, self._fd = kind, version, error, shared, -1
        self._lock: WriterLock | None = None
        with file_errors(path, error):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = None if shared else WriterLock(self.path)
        try:
            with file_errors(path, error):
                how = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC
                self._fd = os.open(self.path, how, mode)
            if not stat.S_ISREG(os.fstat(self._fd).st_mode):
                raise error(f"{path} is not a file; expected a file or a new name")
        except BaseException:
            self.close()
            raise

    def rows(self, decode: Callable[[bytes], T], what: str = "a line of this journal") -> Iterator[T]:
        """What `read_journal` says of it."""
        return read_journal(self.path, decode, what, kind=self._kind, version=self._version, error=self._error)

    def append(self, *lines: bytes) -> None:
        """Add lines, all of them or none.

        Raises:
            error: they cannot be written; the journal is as before.
        """
        data = b"".join(line + b"\n" for line in lines)
        end = None
        try:
            if self._shared:
                fcntl.flock(self._fd, fcntl.LOCK_EX)
            try:
                # Only now: a part of a line at the end may have been another writer's, who was at work.
                end = self._whole_end()
                if self._kind and not end:
                    data = json.dumps({"journal": self._kind, "version": self._version}).encode() + b"\n" + data
                left = memoryview(data)
                while left:
                    left = left[os.write(self._fd, left) :]
            except BaseException:  # Ctrl-C too: whoever gets an exception has added nothing
                if end is not None:
                    with suppress(OSError):
                        os.ftruncate(self._fd, end)
                raise
            finally:
                if self._shared:
                    fcntl.flock(self._fd, fcntl.LOCK_UN)
        except OSError as problem:
            said = file_error_text(problem, self.path)
            raise self._error(f"{said}; what was done is kept; run the same command again to continue") from problem

    def close(self) -> None:
        """Wait until all is on the disk (if it is not shared), and let others write; idempotent.

        Raises:
            error: the disk could not keep it.
        """
        try:
            if self._fd >= 0:
                fd, self._fd = self._fd, -1
                with file_errors(self.path, self._error):
                    try:
                        if not self._shared:
                            os.fdatasync(fd)
                    finally:
                        os.close(fd)
        finally:
            if self._lock is not None:
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _whole_end(self) -> int:
        """Where the last whole line ends, which the file is cut to; a line that lacks nothing but its end gets it."""
        size = os.fstat(self._fd).st_size
        if not size or os.pread(self._fd, 1, size - 1) == b"\n":
            return size
        tail, start = b"", size
        while start and b"\n" not in tail:
            start = max(0, start - _BLOCK)
            tail = os.pread(self._fd, size - start, start)
        tail = tail[tail.rfind(b"\n") + 1 :]
        if _is_json(tail):
            os.write(self._fd, b"\n")
            return size + 1
        if not tail.startswith(_BEGINS):
            raise self._error(
                f"{self.path} ends in what is not a line of a journal; expected one of ours, or a new name"
            )
        os.ftruncate(self._fd, size - len(tail))
        return size - len(tail)


def read_journal(
    path: Path,
    decode: Callable[[bytes], T],
    what: str = "a line of this journal",
    *,
    kind: str = "",
    version: int = 1,
    error: type[HonestlyError] = StoreError,
) -> Iterator[T]:
    """The complete lines of a journal, which can still be growing; empty without a file.

    Args:
        path: the file.
        decode: makes something of a line, which comes without its end.
        what: what each is, as an error says.
        kind: as `Journal` has it.
        version: the newest that is understood.
        error: what is raised.

    Raises:
        error: it cannot be read, or a line that is whole is damaged or something else's.
        StudyTooNewError: a newer version wrote it.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST), b""), 1):
                if not line.strip() or (line[-1:] != b"\n" and line.startswith(_BEGINS) and not _is_json(line)):
                    continue  # at the very end: no line yet, or not any more
                try:
                    if number == 1 and kind and line.startswith(b'{"journal":'):
                        _check_head(path, line, kind, version)
                        continue
                    row = decode(line.removesuffix(b"\n"))
                except HonestlyError:
                    raise
                except Exception as problem:  # whatever a decoder raises, of any library
                    raise error(
                        f"{path}, line {number} is damaged or not {what}: {problem}; name another file, or repair it"
                    ) from problem
                yield row
    except FileNotFoundError:
        return
    except OSError as problem:
        raise error(file_error_text(problem, path, "read")) from problem


def _check_head(path: Path, line: bytes, kind: str, version: int) -> None:
    head = json.loads(line)
    if head["journal"] != kind:
        raise StoreError(f"{path} is a journal of {head['journal']}, not of {kind}; name another place")
    if head["version"] > version:
        raise StudyTooNewError(
            f"{path} has version {head['version']}, and this honestly knows up to {version}; "
            "use the newer honestly that wrote it"
        )


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
