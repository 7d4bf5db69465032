"""Files that are written whole or not at all, and what the operating system refuses in our words.

A message names the file, the reason, and what to do. `write_file` writes beside the file and renames, so that a reader,
a kill and a full disk find the old content or the new, never a part. It does not wait for the disk: after a power
failure either may be there.
"""

import errno
import os
import re
import secrets
import shutil
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from io import BufferedReader
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit
from typing import Literal

from honestly.errors import HonestlyError, StoreError
from honestly.scratch import boot_id, start_ticks

_USUAL = {"cache": "~/.cache", "config": "~/.config", "data": "~/.local/share", "state": "~/.local/state"}
_ELSEWHERE = "choose another place"
_ADVICE = {
    errno.ENOSPC: "free some space there",
    errno.EDQUOT: "free some of your quota",
    errno.EFBIG: "files may not grow further here (ulimit -f)",
    errno.EIO: "the disk fails; copy what you need from it",
    errno.EROFS: f"nothing can be written on that disk; {_ELSEWHERE}",
    errno.EACCES: f"you may not do that there; {_ELSEWHERE}, or change its permissions",
    errno.EPERM: f"you may not do that there; {_ELSEWHERE}, or change its permissions",
    errno.ENOENT: "expected a folder that exists; make it, or check the spelling",
    errno.ENOTDIR: "a part of that path is a file; check the spelling",
    errno.EISDIR: "that is a folder; name a file",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EEXIST: "name a new one, or remove it",
}
_OF_THE_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS})
"""What only a disk answers: such an error is no bug of ours, even where it names no file."""
_SQLITE = {8: errno.EROFS, 10: errno.EIO, 13: errno.ENOSPC, 14: errno.ENOENT}
"""SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN."""


def user_folder(kind: Literal["cache", "config", "data", "state"]) -> Path:
    """The user's folder for `cache`, `config`, `data` or `state` (of this machine).

    Raises:
        RuntimeError: The user has no home, and no variable (`XDG_CACHE_HOME` and the like) names a place.
    """
    base = os.environ.get(f"XDG_{kind.upper()}_HOME", "")
    # A relative path is to be passed over, says the specification of these variables.
    return (Path(base) if base.startswith("/") else Path(_USUAL[kind]).expanduser()) / "honestly"


def open_regular(path: Path | str, *, folder: int | None = None) -> BufferedReader:
    """Opens a regular file for reading, without following links or waiting; in an open folder, if given.

    Raises:
        OSError: It is something else, or cannot be opened.
    """
    # O_NONBLOCK: opening a pipe must not wait for its writer.
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    # Seen before there is a file object: of a directory none can be made, and its descriptor would stay open.
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
    return os.fdopen(fd, "rb")


def file_error_text(error: OSError, path: Path | str | None = None, does: str = "write") -> str:
    """One line that names the file, the reason, and what to do.

    Args:
        error: What the operating system said.
        path: What was to be written or read; the file that the error names if None.
        does: `write` or `read`.
    """
    named = path if path is not None else error.filename
    if isinstance(named, bytes):
        named = os.fsdecode(named)
    advice = _ADVICE.get(error.errno or 0, _ELSEWHERE)
    if error.errno == errno.ENOENT and does == "write" and named is not None and Path(named).parent.is_dir():
        advice = f"no file can be made in that folder; {_ELSEWHERE}"
    what = f"cannot {does} {named}" if named is not None else f"cannot {does}"
    return f"{what}: {error.strerror or error}; {advice}"


def open_files_advice() -> str:
    """What to do where the limit of open files is too low."""
    return f"the limit is {getrlimit(RLIMIT_NOFILE)[0]} (ulimit -n): raise it, or use fewer --jobs"


@contextmanager
def file_errors(path: Path | str, error: type[HonestlyError] = StoreError) -> Iterator[None]:
    """Turns errors of the operating system in this block into honestly's, which name `path`."""
    try:
        yield
    except OSError as problem:
        raise error(file_error_text(problem, path)) from problem


def refuse_database(path: Path | str, error: type[HonestlyError] = StoreError) -> None:
    """Refuses to overwrite a study.

    Raises:
        error: There is a database of SQLite at `path`.
    """
    if is_database(Path(path)):
        raise error(f"{path} is a study; nothing was written to it, so give another file")


def is_database(path: Path) -> bool:
    """Whether there is a database of SQLite, as a study is one."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def write_file(
    path: Path, data: bytes | str, error: type[HonestlyError] = StoreError, *, new: bool = False, folders: bool = False
) -> None:
    """Write a file whole or not at all.

    Args:
        path: Where to. What is no regular file, such as a terminal or a pipe, is written to as it is.
        data: The content; text as UTF-8.
        error: What is raised.
        new: Whether a file that is there already is an error.
        folders: Whether folders that are missing are made.

    Raises:
        error: It cannot be written; what was at `path` before is still there.
    """
    content = data.encode() if isinstance(data, str) else data
    refuse_database(path, error)
    with file_errors(path, error):
        place = Path(os.path.realpath(path))  # a link stays a link
        if folders:
            place.parent.mkdir(parents=True, exist_ok=True)
        mode = None
        with suppress(FileNotFoundError):
            mode = place.stat().st_mode
        if mode is not None and not new and not stat.S_ISREG(mode):
            place.write_bytes(content)
            return
        part = place.with_name(f".honestly-{secrets.token_hex(8)}.part")
        try:
            with part.open("xb") as file:
                file.write(content)
            if mode is not None:
                part.chmod(stat.S_IMODE(mode))
            if new:
                # A second name fails where something has come to the place by now; a renaming would replace it.
                os.link(part, path)
            else:
                part.replace(place)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


@contextmanager
def folder_beside(place: Path, what: str) -> Iterator[Path]:
    """A temporary hidden folder next to a place.

    Those that killed programs left beside it, for whatever place, go first.

    Raises:
        OSError: It cannot be made.
    """
    machine = blake2b(socket.gethostname().encode(), digest_size=4).hexdigest()
    for left in place.parent.glob(f".*-{machine}-*"):
        if mark := re.fullmatch(rf"\..+\.[a-z]+-{machine}-([0-9a-f]*)-(\d+)-(\d*)", left.name, re.DOTALL):
            boot, pid, start = mark.groups()
            if boot != boot_id()[:8] or start_ticks(pid) != start:
                shutil.rmtree(left, ignore_errors=True)
    folder = place.with_name(f".{place.name}.{what}-{machine}-{boot_id()[:8]}-{os.getpid()}-{start_ticks('self')}")
    folder.mkdir(0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def new_folder(folder: Path, error: type[HonestlyError] = StoreError) -> Iterator[Path]:
    """A folder to fill; it appears at `folder` only if the block succeeds.

    Where nothing is made there, nothing is at `folder` either.

    Raises:
        error: There is something in `folder` already, or it cannot be written.
    """
    folder = folder.absolute()
    part = folder.with_name(f".{folder.name}.part")
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            what = "is not empty" if folder.is_dir() else "is a file"
            raise error(f"{folder} {what}; expected a new folder, so give another name")
        shutil.rmtree(part, ignore_errors=True)
        yield part
        if part.exists() and not folder.exists():
            part.rename(folder)
        for child in part.iterdir() if part.exists() else ():
            child.rename(folder / child.name)
    except OSError as problem:
        ours = problem.filename is None or os.fsdecode(problem.filename).startswith(str(part))
        raise error(file_error_text(problem, folder if ours else None)) from problem
    finally:
        shutil.rmtree(part, ignore_errors=True)


def system_refusal(error: BaseException) -> str:
    """An error of a disk or a path as one line; empty for other errors."""
    if isinstance(error, BaseExceptionGroup):
        return system_refusal(error.exceptions[0])
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):  # Python's word for it before 3.13
        return f"links that lead to themselves: {str(error).partition(' from ')[2]}"
    if isinstance(error, ValueError) and str(error).endswith(" has an empty name"):  # pathlib's, of / and the like
        return f"{str(error).partition('(')[2].partition(')')[0]} is a place without a name; name a new file or folder"
    if isinstance(error, MemoryError):
        return "there is too little memory; free some, raise the limit (ulimit -v), or use fewer --jobs"
    if isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}:
        return f"too many files are open; {open_files_advice()}"
    if isinstance(error, OSError) and (error.filename is not None or error.errno in _OF_THE_DISK):
        return file_error_text(error, does="write" if error.errno in _OF_THE_DISK else "use")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return f"a database cannot be used: {error}; {_ADVICE[_SQLITE[code]]}" if code in _SQLITE else ""
