"""Taking images into the store: directories and archives that others have made.

A directory with a `bin` or a `usr` is a root file system, as debootstrap makes one.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from honestly.sandbox.images._copy import Source, attributes_of, read_chunks, walk
from honestly.sandbox.images._layer import LayerWriter, identify
from honestly.sandbox.images._model import Config, Image, ImageError, full_name
from honestly.sandbox.images._store import Store

_NOT_TAKEN = ("dev/", "proc/", "sys/")
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
        with LayerWriter(made) as writer:
            _copy(path, writer)
        key = identify(made)
        store.keep_layer(made, key)
        return store.keep_image(Config(layers=(key,), env={"PATH": _PATH}), full_name_)


def _copy(folder: Path, writer: LayerWriter) -> None:
    """Copy a root file system; what is in the directories of the kernel's own file systems stays out."""
    for path, below, info in walk(Source(folder, "", ""), lambda inside: inside.startswith(_NOT_TAKEN)):
        attributes = attributes_of(info)
        if stat.S_ISDIR(info.st_mode):
            writer.folder(below, attributes)
        elif stat.S_ISLNK(info.st_mode):
            writer.link(below, os.readlink(path), attributes)
        else:
            writer.file(below, read_chunks(path), attributes)
