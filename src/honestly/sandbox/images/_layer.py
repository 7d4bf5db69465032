"""Layers: directories of files, written from hostile sources, and laid one over the other by hard links.

A layer is a tree of directories, regular files and symbolic links, and a list of paths that it takes away from the
layers below (what archives mark by `.wh.` files and overlays by devices). Nothing else gets in: no device, no pipe, no
socket, no extended attribute, no set-user-ID bit, which no sandbox honours. Owners are kept where this process may give
files away, as numbers below 65,536; whoever is above becomes nobody.

Paths are relative, without `.` and `..`. The writer opens each directory by its parent's descriptor and follows no
link, so that whatever an archive holds, nothing outside of the layer is touched.
"""

import os
import shutil
import stat
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

import msgspec

from honestly.errors import SandboxLimitError
from honestly.sandbox.images._model import ImageError
from honestly.scratch import run_owned

IDS = 1 << 16
"""How many user and group ids there are in an image."""

_NOBODY = 65534
MOST_BYTES = 64 << 30
MOST_ENTRIES = 2_000_000
MOST_PATH = 3800
DEEPEST = 200
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


MakeLayer = Callable[[Path, Path], Awaitable[None]]
"""Fills an empty directory with a layer: the directory, and the image's files so far."""


class _Record(msgspec.Struct, frozen=True):
    removed: list[str]
    size: int


@dataclass(frozen=True)
class Layer:
    """A layer in its place."""

    files: Path
    """The tree."""
    removed: tuple[str, ...]
    """Paths that it takes away from the layers below, before its own files come."""
    size: int
    """Bytes of all files."""

    @classmethod
    def read(cls, home: Path) -> "Layer":
        """The layer of a directory.

        Raises:
            ImageError: It is damaged.
        """
        try:
            record = msgspec.json.decode((home / "layer.json").read_bytes(), type=_Record)
        except (OSError, msgspec.MsgspecError) as error:
            raise ImageError(
                f"the layer in {home} cannot be read ({error}); remove its images, and add them again"
            ) from error
        return cls(home / "files", tuple(os.fsdecode(unquote_to_bytes(path)) for path in record.removed), record.size)

    @staticmethod
    def write(home: Path, removed: Iterable[str], size: int) -> None:
        """Write down what belongs to the files below a directory."""
        paths = sorted(quote_from_bytes(os.fsencode(path)) for path in removed)
        (home / "layer.json").write_bytes(msgspec.json.encode(_Record(paths, size)))


@dataclass(frozen=True)
class Attributes:
    """The record of a file beside its content."""

    mode: int
    uid: int = 0
    gid: int = 0
    mtime: float = 0.0


class LayerWriter:
    """Writes one layer, file by file; it is whole once the block is left."""

    def __init__(self, home: Path) -> None:
        """Begin a layer in a directory, which is made if it is not there."""
        self._home = home
        home.mkdir(mode=0o700, exist_ok=True)
        (home / "files").mkdir()
        self._root = os.open(home / "files", _FOLDER)
        self._parent = self._root
        self._parent_path = ""
        self._removed: set[str] = set()
        self._folders: dict[str, Attributes] = {}
        self._entries = 0
        self.size = 0

    def __enter__(self) -> "LayerWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            self._leave_parent()
            os.close(self._root)

    def _finish(self) -> None:
        """Give directories their attributes, and write down what is removed."""
        # Only now, since some may not be written to.
        for path in sorted(self._folders, reverse=True):
            fd = self._open_folder(path)
            try:
                _settle_attributes(fd, self._folders[path], folder=True)
            finally:
                os.close(fd)
        Layer.write(self._home, self._removed, self.size)

    def folder(self, path: str, attributes: Attributes) -> None:
        """Make a directory, or change the attributes of one."""
        if not path:
            self._folders[""] = attributes
            return
        self._count_path(path)
        name = self._enter_parent(path)
        if not self._is_folder(name):
            self._clear(name)
            os.mkdir(name, 0o700, dir_fd=self._parent)
        self._folders[path] = attributes

    def add_file(self, path: str, chunks: Iterable[bytes], attributes: Attributes) -> None:
        """Write a regular file."""
        self._count_path(path)
        name = self._enter_parent(path)
        self._clear(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(name, flags, 0o600, dir_fd=self._parent)
        try:
            for chunk in chunks:
                self.size += len(chunk)
                if self.size > MOST_BYTES:
                    raise SandboxLimitError(f"the layer contains more than {MOST_BYTES >> 30} GiB")
                view = memoryview(chunk)
                while view:
                    view = view[os.write(fd, view) :]
            _settle_attributes(fd, attributes, folder=False)
        finally:
            os.close(fd)

    def add_link(self, path: str, target: str, attributes: Attributes) -> None:
        """Make a symbolic link; where it leads does not matter, since nothing follows it here."""
        self._count_path(path)
        name = self._enter_parent(path)
        self._clear(name)
        os.symlink(target, name, dir_fd=self._parent)
        if os.geteuid() == 0:
            os.chown(name, *_owner_ids(attributes), dir_fd=self._parent, follow_symlinks=False)
        os.utime(name, (attributes.mtime,) * 2, dir_fd=self._parent, follow_symlinks=False)

    def add_hardlink(self, path: str, other: str) -> bool:
        """Give a file of this layer a second name; False if the layer has no such file."""
        self._count_path(path)
        above, _, first = other.rpartition("/")
        try:
            folder = self._open_folder(above)
        except OSError:
            return False
        try:
            mode = os.stat(first, dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                return False
            name = self._enter_parent(path)
            if path != other:
                self._clear(name)
                os.link(first, name, src_dir_fd=folder, dst_dir_fd=self._parent, follow_symlinks=False)
        except FileNotFoundError:
            return False
        finally:
            os.close(folder)
        return True

    def remove(self, path: str) -> None:
        """Take away what the layers below have at a path."""
        self._count_path(path)
        self._removed.add(path)

    # where it goes

    def _enter_parent(self, path: str) -> str:
        """Make the directory above a path the current one, and return the path's last part."""
        above, _, name = path.rpartition("/")
        if above != self._parent_path or self._parent == -1:
            self._leave_parent()
            self._parent = self._open_folder(above, make=True)
            self._parent_path = above
        return name

    def _leave_parent(self) -> None:
        if self._parent not in {-1, self._root}:
            os.close(self._parent)
        self._parent, self._parent_path = self._root, ""

    def _open_folder(self, path: str, *, make: bool = False) -> int:
        """Open a directory of the layer, following no link."""
        fd = os.dup(self._root)
        done = ""
        for part in path.split("/") if path else ():
            done = f"{done}/{part}" if done else part
            try:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, 0o700, dir_fd=fd)
                        self._folders.setdefault(done, Attributes(0o755))
                below = os.open(part, _FOLDER, dir_fd=fd)
            except NotADirectoryError as error:
                raise ImageError(f"the layer has something below {done!r}, which is not a directory in it") from error
            finally:
                os.close(fd)
            fd = below
        return fd

    def _is_folder(self, name: str) -> bool:
        try:
            return stat.S_ISDIR(os.stat(name, dir_fd=self._parent, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return False

    def _clear(self, name: str) -> None:
        """Remove what is in the way: the last of several entries with one name counts."""
        if self._is_folder(name):
            gone = f"{self._parent_path}/{name}" if self._parent_path else name
            shutil.rmtree(name, dir_fd=self._parent)
            for path in [path for path in self._folders if f"{path}/".startswith(f"{gone}/")]:
                del self._folders[path]
        else:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=self._parent)

    def _count_path(self, path: str) -> None:
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            raise SandboxLimitError(f"the layer contains more than {MOST_ENTRIES} files")
        if len(path) > MOST_PATH or path.count("/") > DEEPEST:
            raise SandboxLimitError(
                f"the layer contains a path of {len(path)} bytes, {path.count('/')} directories deep"
            )


def path_in_layer(path: str) -> str:
    """A path inside an image as layers have it; empty for the root.

    Raises:
        ImageError: It leads out.
    """
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts or "\0" in path:
        raise ImageError(f"the path {path[:200]!r} leads out of the image")
    return "/".join(parts)


def apply_layer(layer: Layer, root: Path) -> None:
    """Lay a layer over a directory that holds the layers below; files become further names of the layer's files."""
    for path in layer.removed:
        take_away(root, path)
    _copy_attributes(str(layer.files), str(root))
    pending = [""]
    while pending:
        inside = pending.pop()
        goal = f"{root}/{inside}"
        with os.scandir(f"{layer.files}/{inside}") as entries:
            for entry in entries:
                target = goal + entry.name
                if not entry.is_dir(follow_symlinks=False):
                    _make_name(entry.path, target)
                    continue
                if not _real_folder(target):
                    with suppress(FileNotFoundError):
                        os.unlink(target)
                    os.mkdir(target)
                _copy_attributes(entry.path, target)
                pending.append(f"{inside}{entry.name}/")


def _make_name(source: str, target: str) -> None:
    """Give a file another name; where the file system has no room for one, a copy."""
    for _ in range(2):
        try:
            os.link(source, target, follow_symlinks=False)
            return
        except FileExistsError:
            if _real_folder(target):
                remove_tree(Path(target))
            else:
                os.unlink(target)
        except OSError:
            break
    shutil.copy2(source, target, follow_symlinks=False)
    if os.geteuid() == 0:
        info = os.lstat(source)
        os.chown(target, info.st_uid, info.st_gid, follow_symlinks=False)


def _copy_attributes(source: str, target: str) -> None:
    info = os.lstat(source)
    if os.geteuid() == 0:
        os.chown(target, info.st_uid, info.st_gid)
    os.chmod(target, stat.S_IMODE(info.st_mode))


def take_away(root: Path, path: str) -> None:
    """Remove what a directory has at a path, following no link on the way."""
    folder = root
    *above, name = path.split("/")
    for part in above:
        folder /= part
        if not _real_folder(str(folder)):
            return
    target = folder / name
    if _real_folder(str(target)):
        remove_tree(target)
    else:
        target.unlink(missing_ok=True)


def _real_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def remove_tree(path: Path) -> None:
    """Remove a directory and all below it, however deep, and whatever its permissions."""
    remove = ["rm", "-rf", "--", str(path)]
    if _command_fails(*remove):
        _command_fails("chmod", "-R", "u+rwX", "--", str(path))
        _command_fails(*remove)


def _command_fails(*words: str) -> bool:
    """Run a command that Ctrl-C does not reach; whether it fails."""
    return run_owned(words).returncode != 0


def _settle_attributes(fd: int, attributes: Attributes, *, folder: bool) -> None:
    if os.geteuid() == 0:
        os.fchown(fd, *_owner_ids(attributes))
    os.fchmod(fd, kept_mode(attributes.mode, folder=folder))
    os.utime(fd, (attributes.mtime,) * 2)


def kept_mode(mode: int, *, folder: bool) -> int:
    """Permissions without what no sandbox honours, and not too few for this process to read the files again."""
    kept = mode & (0o3777 if folder else 0o777)
    return kept if os.geteuid() == 0 else kept | (0o700 if folder else 0o600)


def _owner_ids(attributes: Attributes) -> tuple[int, int]:
    uid, gid = attributes.uid, attributes.gid
    return uid if 0 <= uid < IDS else _NOBODY, gid if 0 <= gid < IDS else _NOBODY


def tree_size(root: Path) -> int:
    """Bytes on disk of a directory that others may just be writing to."""
    total, pending = 0, [str(root)]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
    return total
