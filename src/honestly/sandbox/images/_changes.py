"""All that a sandbox has changed of an image's files, as a tree of plain files, and back again.

Paths are relative to the image's root. What a tree of files cannot say stands in one file of it, `RECORD`: what was
removed, which directories there are, and who owns what with which permissions, where that is not root and the usual.
Left out are special files, names that are not UTF-8, what is mounted, and what a package manager keeps to fetch nothing
twice.

What is read may still change meanwhile, and is hostile: directories are opened by descriptor, and no link is followed.
"""

import os
import stat
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from honestly.errors import SandboxLimitError
from honestly.records import File, Tree
from honestly.sandbox.images._layer import Attributes, Layer, LayerWriter, apply_layer, path_in_layer
from honestly.sandbox.images._model import ImageError, RootImage
from honestly.sandbox.images._run import SANDBOX_PATHS
from honestly.work import open_regular

RECORD = ".honestly/changes.json"
"""The file of a tree of changes that says what files cannot."""

NOT_KEPT = (*SANDBOX_PATHS, ".honestly")
"""What no work has changed: what a sandbox puts into every image, and the place of the record."""

_MOST_FILES, _DEEPEST = 200_000, 200
_USUAL = {"file": 0o644, "exec": 0o755, "folder": 0o755, "link": 0o777}
_CACHED = ("var/cache/apt/pkgcache.bin", "var/cache/apt/srcpkgcache.bin", "var/cache/apt/archives")
_OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _Record(msgspec.Struct, omit_defaults=True):
    removed: list[str] = []
    folders: list[str] = []
    attributes: dict[str, tuple[int, int, int]] = {}
    """Permissions, user and group of what has others than root's usual ones, by path."""
    times: dict[str, int] = {}
    """When files were changed, in seconds since 1970: `make` goes by that."""

    @classmethod
    def of(cls, changes: Tree) -> "_Record":
        """The record in a tree of changes; an empty one if it has none.

        Raises:
            ImageError: It is damaged.
        """
        if RECORD not in changes.files:
            return cls()
        try:
            return msgspec.json.decode(changes.files[RECORD].data, type=cls)
        except msgspec.MsgspecError as error:
            raise ImageError(f"{RECORD} of a final state is damaged: {error}") from error


class _Reading:
    """One walk over what an overlay keeps."""

    def __init__(self, left_out: frozenset[str], most: int) -> None:
        self.files: dict[str, File] = {}
        self.record = _Record()
        self._left_out, self._left, self._most, self._entries = left_out, most, most, 0

    def folder(self, fd: int, inside: str, depth: int) -> None:
        """Read a directory that is open."""
        if depth > _DEEPEST:
            raise SandboxLimitError(f"directories are nested deeper than {_DEEPEST}")
        for name in sorted(os.listdir(fd)):
            path = f"{inside}{name}"
            if path in self._left_out or not _is_text(path):
                continue
            self._entries += 1
            if self._entries > _MOST_FILES:
                raise SandboxLimitError(f"more than {_MOST_FILES} files were changed")
            with suppress(FileNotFoundError, NotADirectoryError):  # gone, or something else by now
                self._read_entry(fd, name, path, depth)

    def _read_entry(self, fd: int, name: str, path: str, depth: int) -> None:
        info = os.stat(name, dir_fd=fd, follow_symlinks=False)
        kind = stat.S_IFMT(info.st_mode)
        if kind == stat.S_IFCHR and info.st_rdev == 0:  # by which an overlay says that it is gone
            self.record.removed.append(path)
        elif kind == stat.S_IFDIR:
            below = os.open(name, _FOLDER, dir_fd=fd)
            try:
                if _hides(below):
                    self.record.removed.append(path)
                self.record.folders.append(path)
                self._note_attributes(path, "folder", info)
                self.folder(below, f"{path}/", depth + 1)
            finally:
                os.close(below)
        elif kind == stat.S_IFLNK:
            self._add(path, File(data=os.fsencode(os.readlink(name, dir_fd=fd)), mode="link"), info)
        elif kind == stat.S_IFREG:
            mode = "exec" if info.st_mode & 0o100 else "file"
            self._add(path, File(data=self._file_content(fd, name), mode=mode), info)  # type: ignore[arg-type]

    def _file_content(self, fd: int, name: str) -> bytes:
        try:
            with open_regular(name, folder=fd) as file:
                data = file.read(self._left + 1)
        except OSError as error:
            raise SandboxLimitError(f"{name[:80]!r} cannot be read: {error.strerror}") from error
        self._left -= len(data)
        if self._left < 0:
            raise SandboxLimitError(f"what was changed is larger than {self._most >> 20} MiB")
        return data

    def _add(self, path: str, file: File, info: os.stat_result) -> None:
        self.files[path] = file
        self._note_attributes(path, file.mode, info)

    def _note_attributes(self, path: str, kind: str, info: os.stat_result) -> None:
        mode, usual = stat.S_IMODE(info.st_mode), _USUAL[kind]
        self.record.times[path] = int(info.st_mtime)
        if (mode, info.st_uid, info.st_gid) != (usual, 0, 0) and not (kind == "link" and not info.st_uid):
            self.record.attributes[path] = (mode, info.st_uid, info.st_gid)


def read_changes(folder: Path, left_out: Iterable[str], most: int) -> Tree:
    """The changes that an overlay has written to a directory.

    Args:
        folder: The directory, whose sandbox may still be open.
        left_out: Further paths that are no part of it.
        most: Bytes that the files may have together.

    Raises:
        SandboxLimitError: It is more than that, or more files than can be handed out.
    """
    reading = _Reading(frozenset((*NOT_KEPT, *left_out, *_CACHED)), most)
    fd = os.open(folder, _FOLDER)
    try:
        reading.folder(fd, "", 0)
    finally:
        os.close(fd)
    if not reading.files and reading.record == _Record():
        return Tree()
    record = File(data=msgspec.json.encode(reading.record, order="sorted"))
    return Tree(files={**reading.files, RECORD: record})


def changes_without(changes: Tree, paths: Collection[str]) -> Tree:
    """Changes less what became of these paths, and less the directories in which there is nothing else."""
    files = changes.without((RECORD, *paths)).files
    record = _Record.of(changes)
    above = {path[:at] for path in paths for at, character in enumerate(path) if character == "/"}
    kept = {path[:at] for path in files for at, character in enumerate(path) if character == "/"}
    gone = {*paths, *(above - kept)}
    left = _Record(
        removed=[path for path in record.removed if path not in paths],
        folders=[path for path in record.folders if path not in gone],
        attributes={path: value for path, value in record.attributes.items() if path not in gone},
        times={path: value for path, value in record.times.items() if path not in gone},
    )
    if not files and left == _Record():
        return Tree()
    return Tree(files={**files, RECORD: File(data=msgspec.json.encode(left, order="sorted"))})


def lay_over(image: RootImage, changes: Tree, work: Path) -> Path:
    """A new directory with an image's files and what was changed of them.

    Args:
        image: The image; its files are linked, not copied.
        changes: As `read_changes` gives them; files without a record are root's.
        work: An empty directory on the store's file system.

    Raises:
        ImageError: The changes are not what `read_changes` gives.
    """
    made, root = work / "changed", work / "root"
    made.mkdir()
    record = _Record.of(changes)
    with LayerWriter(made) as writer:
        for path in record.removed:
            writer.remove(path_in_layer(path))
        for path in record.folders:
            writer.folder(path_in_layer(path), _recorded_attributes(record, path, "folder"))
        for path, file in changes.files.items():
            attributes = _recorded_attributes(record, path, file.mode)
            if path == RECORD:
                continue
            if file.mode == "link":
                writer.add_link(path, os.fsdecode(file.data), attributes)
            else:
                writer.add_file(path, [file.data], attributes)
    root.mkdir()
    for files in image.layers:
        apply_layer(Layer.read(files.parent), root)
    apply_layer(Layer.read(made), root)
    return root


def _recorded_attributes(record: _Record, path: str, kind: str) -> Attributes:
    return Attributes(*record.attributes.get(path, (_USUAL[kind], 0, 0)), mtime=record.times.get(path, 0))


def _hides(fd: int) -> bool:
    """Whether a directory of an overlay hides those below it."""
    for name in _OPAQUE:
        with suppress(OSError):
            if os.getxattr(fd, name) in {b"y", b"x"}:
                return True
    return False


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
