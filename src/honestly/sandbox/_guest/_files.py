"""Reading, writing and snapshotting files of a box, from the keeper, which no process in the box can reach.

The keeper's root directory is the box's, so that no path, link or race leads out. What could lead astray is inside: a
name may be a pipe, a link into /proc, a file that is swapped while it is read. Hence files are opened without blocking,
checked by descriptor, and never followed in a snapshot.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ._ids import Identity
from ._root import mode_of

_MAX_FILES = 100_000
_MAX_DEPTH = 200
_MOST_DELETED = 10_000
_MAX_PATH = 3800  # the kernel takes 4096, and another box may put the files deeper
_CHUNK = 1 << 20
_SAFE = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class LimitError(Exception):
    """The box holds more than may be handed out."""


class Files:
    """The files of one box."""

    def __init__(self, identity: Identity, workspace: str, limit: int) -> None:
        self._identity = identity
        self._workspace = workspace
        self._limit = limit
        self._proc = os.stat("/proc").st_dev

    def read(self, path: str) -> bytes:
        """Return the content of a regular file."""
        fd = os.open(self._absolute_path(path), os.O_RDONLY | _SAFE)
        try:
            info = os.fstat(fd)
            # A link of the workspace may lead to /proc, whose files are regular, too.
            if not stat.S_ISREG(info.st_mode) or info.st_dev == self._proc:
                raise OSError(22, "not a regular file", path)
            data = _read_limited(fd, min(info.st_size, self._limit) + 1)
        finally:
            os.close(fd)
        if len(data) > self._limit:
            raise LimitError(f"{path} is larger than the limit of {self._limit} bytes")
        return data

    def write(self, path: str, data: bytes, *, executable: bool) -> None:
        """Create or replace a regular file, and the directories above it, as the box's user."""
        target = self._absolute_path(path)
        with self._as_user():
            os.makedirs(os.path.dirname(target), exist_ok=True)
            fd = os.open(target, os.O_WRONLY | os.O_CREAT | _SAFE, 0o644)
            try:
                info = os.fstat(fd)
                if not stat.S_ISREG(info.st_mode) or info.st_dev == self._proc:
                    raise OSError(22, "not a regular file", path)
                os.ftruncate(fd, 0)
                _write(fd, data)
                os.fchmod(fd, 0o755 if executable else 0o644)
            finally:
                os.close(fd)

    def plant_files(self, tree: list[bytes]) -> None:
        """Fill the workspace of a box in which nothing has run yet: (mode, path, data) one after the other.

        Links come last, so that no file is written through one.
        """
        entries = list(zip(tree[::3], tree[1::3], tree[2::3], strict=True))
        made = {self._workspace}
        with self._as_user():
            for mode, name, data in sorted(entries, key=lambda entry: entry[0] == b"link"):
                path = self._workspace + "/" + name.decode()
                parent = os.path.dirname(path)
                if parent not in made:
                    os.makedirs(parent, exist_ok=True)
                    made.add(parent)
                if mode == b"link":
                    os.symlink(data, path)
                    continue
                fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
                try:
                    _write(fd, data)
                    if mode == b"exec":
                        os.fchmod(fd, 0o755)
                finally:
                    os.close(fd)

    def snapshot(self) -> list[bytes]:
        """Return (mode, path, data) of every file of the workspace, one after the other."""
        harvest = _Harvest(self._limit)
        root = os.open(self._workspace, _FOLDER)
        try:
            harvest.folder(root, b"", 0)
        finally:
            os.close(root)
        return harvest.found

    def clear(self, folders: Sequence[str]) -> None:
        """Delete everything in the writable `folders`, as nobody is left who could put things in the way.

        Raises:
            LimitError: It is more than is worth deleting: a new box costs less.
        """
        left = _MOST_DELETED
        for path in folders:
            for attribute in os.listxattr(path):  # access control lists, which new files would inherit
                os.removexattr(path, attribute)
            os.chmod(path, mode_of(path))
            if names := os.listdir(path):
                fd = os.open(path, _FOLDER)
                try:
                    left = _delete(fd, names, left, 0)
                finally:
                    os.close(fd)

    def _absolute_path(self, path: str) -> str:
        return path if path.startswith("/") else self._workspace + "/" + path

    @contextmanager
    def _as_user(self) -> Iterator[None]:
        """Act with the user's identity and rights, so that files are the user's and its permissions hold."""
        self._identity.put_on()
        try:
            yield
        finally:
            self._identity.take_off()


class _Harvest:
    """The content of a snapshot so far, and how much more it may take."""

    def __init__(self, limit: int) -> None:
        self.found: list[bytes] = []
        self._limit = self._bytes = limit
        self._entries = _MAX_FILES

    def folder(self, fd: int, prefix: bytes, depth: int) -> None:
        """Take what lies below an open directory."""
        if depth > _MAX_DEPTH:
            raise LimitError(f"the workspace holds directories nested deeper than {_MAX_DEPTH}")
        with os.scandir(fd) as entries:
            for entry in entries:
                self._entries -= 1
                if self._entries < 0:
                    raise LimitError(f"the workspace holds more than {_MAX_FILES} files")
                name = os.fsencode(entry.name)
                with suppress(FileNotFoundError, UnicodeDecodeError):  # removed meanwhile, or a name that is no text
                    name.decode()
                    self._take_entry(fd, name, prefix + name, depth)

    def _take_entry(self, parent: int, name: bytes, path: bytes, depth: int) -> None:
        mode = os.lstat(name, dir_fd=parent).st_mode
        if stat.S_ISLNK(mode):
            self._take_file(b"link", path, os.readlink(name, dir_fd=parent))
        elif stat.S_ISDIR(mode):
            fd = os.open(name, _FOLDER, dir_fd=parent)
            try:
                self.folder(fd, path + b"/", depth + 1)
            finally:
                os.close(fd)
        elif stat.S_ISREG(mode):
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | _SAFE, dir_fd=parent)
            try:
                if stat.S_ISREG(os.fstat(fd).st_mode):
                    self._take_file(b"exec" if mode & 0o100 else b"file", path, _read_limited(fd, self._bytes + 1))
            finally:
                os.close(fd)

    def _take_file(self, mode: bytes, path: bytes, data: bytes) -> None:
        if len(path) > _MAX_PATH:
            raise LimitError(f"the workspace holds a path of {len(path)} bytes; at most {_MAX_PATH} are possible")
        self._bytes -= len(data) + len(path)
        if self._bytes < 0:
            raise LimitError(f"the workspace holds more than {self._limit} bytes")
        self.found += (mode, path, data)


def _delete(folder: int, names: Sequence[str], left: int, depth: int) -> int:
    """Delete entries of an open directory, and all below them; return how many more entries may be deleted."""
    for name in names:
        left -= 1
        if left < 0 or depth > _MAX_DEPTH:
            raise LimitError("the box holds more files than are worth deleting")
        try:
            os.unlink(name, dir_fd=folder)
        except IsADirectoryError:
            fd = os.open(name, _FOLDER, dir_fd=folder)
            try:
                os.fchmod(fd, 0o700)
                left = _delete(fd, os.listdir(fd), left, depth + 1)
            finally:
                os.close(fd)
            os.rmdir(name, dir_fd=folder)
    return left


def _read_limited(fd: int, limit: int) -> bytes:
    """Read at most `limit` bytes of a file that may change meanwhile."""
    parts: list[bytes] = []
    while limit > 0:
        data = os.read(fd, min(limit, _CHUNK))
        if not data:
            break
        parts.append(data)
        limit -= len(data)
    return b"".join(parts)


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view[:_CHUNK]) :]
