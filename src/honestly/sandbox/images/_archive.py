"""Taking images into the store: directories and archives that others have made.

What has a manifest or an index is an image by layers (`_bundle`). Anything else is a root file system, as `debootstrap`
and `docker export` make one, and becomes a single layer.
"""

import os
import shutil
import stat
from pathlib import Path

from honestly.errors import SandboxLimitError
from honestly.sandbox.images._bundle import Archive, Folder, add_bundle, is_bundle
from honestly.sandbox.images._copy import Source, attributes_of, copied_files, read_chunks
from honestly.sandbox.images._layer import LayerWriter
from honestly.sandbox.images._model import PATH, Config, ImageError, RootImage, full_name
from honestly.sandbox.images._store import ImageStore
from honestly.sandbox.images._tar import unpack_archive, unpacked_stream
from honestly.sandbox.images._upper import layer_id

_NOT_TAKEN = ("dev/", "proc/", "sys/")
_CHUNK = 1 << 20


def add_image(archive_or_directory: Path, name: str) -> RootImage:
    """Take an image into the store.

    Args:
        archive_or_directory: An OCI archive or layout, an archive by `docker save` or `docker export`, any other
            archive of a root file system, packed or not, or the root directory of an unpacked one.
        name: What it shall be called; a name that another image has passes to this one.

    Raises:
        ImageError: There is no image, or it is damaged; nothing of it is kept.
        SandboxLimitError: It holds more than the store takes.
    """
    path, named = archive_or_directory, full_name(name)
    store = ImageStore()
    try:
        with store.keeping_layers():
            return store.keep_image(_stored_config(path.resolve(), store, named), named)
    except OSError as error:
        raise SandboxLimitError(f"{path} cannot be taken into the store: {error}") from error
    except ImageError as error:
        raise ImageError(f"{path}: {error}") from error


def _stored_config(path: Path, store: ImageStore, name: str) -> Config:
    """The configuration of an image whose layers are then in the store."""
    if path.is_dir():
        files = Folder(path)
        if is_bundle(files):
            return add_bundle(files, store, name)
        if not any((path / top).is_dir() for top in ("bin", "usr")):
            raise ImageError("there is neither an image's layout nor a root directory, with `bin` or `usr`")
        with store.build_folder() as home:
            with LayerWriter(home / "layer") as writer:
                # What is in the directories of the kernel's own file systems stays out.
                root = Source(path, "", "")
                for origin, below, info in copied_files(root, lambda inside: inside.startswith(_NOT_TAKEN)):
                    attributes = attributes_of(info)
                    if stat.S_ISDIR(info.st_mode):
                        writer.folder(below, attributes)
                    elif stat.S_ISLNK(info.st_mode):
                        writer.add_link(below, os.readlink(origin), attributes)
                    else:
                        writer.add_file(below, read_chunks(origin), attributes)
            return _bare_config(store, home / "layer")
    if not path.is_file():
        raise ImageError("there is no such file or directory; expected an image's archive, or its root directory")
    with store.build_folder() as work:
        whole = work / "archive"
        with path.open("rb") as packed, unpacked_stream(packed) as source:
            if source is packed:
                whole = path
            else:
                with whole.open("wb") as goal:
                    shutil.copyfileobj(source, goal, _CHUNK)
        archive = Archive(whole)
        if is_bundle(archive):
            return add_bundle(archive, store, name)
        with whole.open("rb") as file, LayerWriter(work / "layer") as writer:
            unpack_archive(file, writer)
        return _bare_config(store, work / "layer")


def _bare_config(store: ImageStore, made: Path) -> Config:
    """The configuration of a root file system without one."""
    if not any(os.path.lexists(made / "files" / top) for top in ("bin", "usr")):
        raise ImageError("there is neither a `bin` nor a `usr` in it; expected the root of a file system")
    key = layer_id(made)
    store.keep_layer(made, key)
    return Config(layers=(key,), env={"PATH": PATH})
