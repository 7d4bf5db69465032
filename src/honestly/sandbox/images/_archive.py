"""Taking images into the store: directories and archives that others have made.

A directory with a `bin` or a `usr` is a root file system, as debootstrap makes one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from honestly.sandbox.images._layer import Attributes, LayerWriter, identify
from honestly.sandbox.images._model import Config, Image, ImageError, full_name
from honestly.sandbox.images._store import Store

_CHUNK = 1 << 20
_NOT_TAKEN = ("dev", "proc", "sys")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def add_image(archive_or_directory: Path, name: str) -> Image:
    """Take an image into the store: the root directory of an unpacked one.

    Args:
        archive_or_directory: Where it is.
        name: What it shall be called; a name that another image has passes to this one.

    Raises:
        ImageError: There is no image, or it is damaged; nothing of it is kept.
        SandboxLimitError: It holds more than the store takes.
    """
    path, full_name_ = archive_or_directory, full_name(name)
    store = Store()
    if not any((path / top).is_dir() for top in ("bin", "usr")):
        raise ImageError(f"there is no image in {path}; expected the root directory of an unpacked one")
    with store.building(), store.workshop() as work:
        made = work / "layer"
        made.mkdir()
        writer = LayerWriter(made)
        try:
            copy_tree(path, writer, "", skip=_NOT_TAKEN)
            writer.finish()
        finally:
            writer.close()
        key = identify(made)
        store.keep_layer(made, key)
        return store.keep_image(Config(layers=(key,), env={"PATH": _PATH}), full_name_)


def copy_tree(source: Path, writer: LayerWriter, goal: str, *, skip: tuple[str, ...] = ()) -> None:
    """Copy a directory of this machine, links as links; special files, and what is named at its top, stay out."""
    pending = [(str(source), goal)]
    writer.folder(goal, _attributes(os.stat(source)))
    top = True
    while pending:
        folder, inside = pending.pop()
        for name in sorted(os.listdir(folder)):
            path, below = f"{folder}/{name}", f"{inside}/{name}" if inside else name
            info = os.lstat(path)
            if stat.S_ISDIR(info.st_mode):
                writer.folder(below, _attributes(info))
                if not (top and name in skip):
                    pending.append((path, below))
            elif stat.S_ISLNK(info.st_mode):
                writer.link(below, os.readlink(path), _attributes(info))
            elif stat.S_ISREG(info.st_mode):
                writer.file(below, read_chunks(path), _attributes(info))
        top = False


def read_chunks(path: str) -> Iterator[bytes]:
    """The content of a regular file of this machine, which is no link."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise ImageError(f"{path} is not a regular file any more")
        while chunk := file.read(_CHUNK):
            yield chunk


def _attributes(info: os.stat_result) -> Attributes:
    return Attributes(info.st_mode, info.st_uid, info.st_gid, info.st_mtime)
