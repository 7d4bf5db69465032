"""Images by layers, as others pack them: OCI layouts and archives, and what `docker save` writes.

Each blob is checked against the digest that named it, each layer against the one that the image's configuration gives.
"""

import hashlib
import io
import os
import posixpath
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec

from honestly.sandbox.images._layer import LayerWriter
from honestly.sandbox.images._model import PATH, Config, ImageError, full_name, machine_architecture
from honestly.sandbox.images._store import ImageStore
from honestly.sandbox.images._tar import MOST_BYTES, TOO_LONG, Forward, damaged_archive, unpack_archive
from honestly.work import open_regular

_MOST_TEXT = 8 << 20
_MOST_MEMBERS = 10_000
_MOST_LAYERS = 500
_DEEPEST = 3
_DIGEST = re.compile("sha256:([0-9a-f]{64})")


class Files(Protocol):
    """The files of a layout, in a directory or an archive."""

    def open(self, name: str) -> io.BufferedReader | None:
        """Open a regular file; None if there is none of that name."""
        ...


class Folder:
    """Those of a directory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def open(self, name: str) -> io.BufferedReader | None:
        """Open a regular file, following no link; None if there is none of that name."""
        if ".." in name.split("/"):
            return None
        try:
            return open_regular(self._path / name)
        except OSError:
            return None


class Archive:
    """Those of a tar archive, not packed, of which any part can be read."""

    def __init__(self, path: Path) -> None:
        """Find out what it holds.

        Raises:
            ImageError: It is damaged.
        """
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._links: dict[str, str] = {}
        try:
            with path.open("rb") as stream:
                archive = tarfile.TarFile(fileobj=cast("io.BufferedReader", _Bounded(stream)))
                for _, member in zip(range(_MOST_MEMBERS), iter(archive.next, None), strict=False):
                    name = posixpath.normpath(member.name)
                    if member.isreg():
                        self._places[name] = (member.offset_data, member.size)
                    elif member.issym():  # how older engines say that two layers are the same
                        self._links[name] = posixpath.normpath(f"{posixpath.dirname(name)}/{member.linkname}")
        except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
            raise damaged_archive(error) from error

    def open(self, name: str) -> io.BufferedReader | None:
        """Open a file; None if there is none of that name."""
        place = self._places.get(posixpath.normpath(self._links.get(name, name)))
        return io.BufferedReader(_Part(self._path, *place)) if place else None


class _Bounded(Forward):
    """A file of which no header reads much, and contents are skipped."""

    def seek(self, goal: int) -> None:
        """Go to a place."""
        if not 0 <= goal < MOST_BYTES:
            raise ImageError(TOO_LONG)
        self._stream.seek(goal)
        self._at = goal


class _Part(io.RawIOBase):
    """A part of a file, as a file."""

    def __init__(self, path: Path, start: int, size: int) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._at, self._end = start, start + size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - whatever takes bytes
        data = os.pread(self._fd, min(len(buffer), self._end - self._at), self._at)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            os.close(self._fd)
        super().close()


class _Settings(msgspec.Struct, rename="pascal"):
    env: list[str] | None = None
    working_dir: str | None = None
    user: str | None = None
    entrypoint: list[str] | None = None
    cmd: list[str] | None = None
    shell: list[str] | None = None


class _RootFs(msgspec.Struct):
    diff_ids: list[str]


class _ImageConfig(msgspec.Struct):
    rootfs: _RootFs
    architecture: str = ""
    os: str = "linux"
    config: _Settings | None = None


class _Platform(msgspec.Struct):
    architecture: str = ""
    os: str = ""


class _Descriptor(msgspec.Struct, rename="camel"):
    digest: str
    media_type: str = ""
    platform: _Platform | None = None
    annotations: dict[str, str] | None = None


class _Index(msgspec.Struct):
    manifests: list[_Descriptor]


class _Manifest(msgspec.Struct):
    config: _Descriptor
    layers: list[_Descriptor]


class _Saved(msgspec.Struct, rename="pascal"):
    config: str
    layers: list[str]
    repo_tags: list[str] | None = None


def is_bundle(files: Files) -> bool:
    """Whether there is a layout of an image, rather than a root file system."""
    return any(_is_there(files, name) for name in ("manifest.json", "index.json"))


def add_bundle(files: Files, store: ImageStore, name: str) -> Config:
    """Unpack the layers of an image that the store lacks.

    Args:
        files: Its layout.
        store: Where the layers go.
        name: Which image, where there are several: one that is called so.

    Raises:
        ImageError: There is none, or not one for this machine, or it is damaged.
    """
    config, blobs = _saved(files, name) if _is_there(files, "manifest.json") else _by_index(files, name)
    machine = machine_architecture()
    if config.os != "linux" or config.architecture not in {"", machine}:
        raise ImageError(f"the image is for {config.os}/{config.architecture}; expected linux/{machine}")
    ids = config.rootfs.diff_ids
    if len(ids) != len(blobs) or len(ids) > _MOST_LAYERS or not all(map(_DIGEST.fullmatch, ids)):
        raise ImageError(f"the image names {len(blobs)} layers and {len(ids)} digests; expected as many, at most 500")
    for digest, (blob, packed) in zip(ids, blobs, strict=True):
        key = digest.partition(":")[2]
        if not store.has_layer(key):
            _add_layer(files, store, blob, packed, key)
    settings = config.config or _Settings()
    pairs = (pair.partition("=")[::2] for pair in settings.env or [])
    return Config(
        layers=tuple(digest.partition(":")[2] for digest in ids),
        env={"PATH": PATH, **dict(pairs)},
        workdir=posixpath.normpath(posixpath.join("/", settings.working_dir or "/")),
        user=settings.user or "",
        entrypoint=tuple(settings.entrypoint or ()),
        cmd=tuple(settings.cmd or ()),
        shell=tuple(settings.shell or ("/bin/sh", "-c")),
    )


def _add_layer(files: Files, store: ImageStore, blob: str, packed: str, key: str) -> None:
    """Unpack one layer: the file it is in, that file's digest if it is known, and the digest of what it unpacks to."""
    if (file := files.open(blob)) is None:
        raise ImageError(f"the layer {blob[:100]} is missing")
    if packed:
        with file:
            found = hashlib.sha256()
            while chunk := file.read(1 << 20):
                found.update(chunk)
            if packed != f"sha256:{found.hexdigest()}":
                raise ImageError(f"a blob has the digest sha256:{found.hexdigest()}; expected {packed[:80]}")
        file = files.open(blob)
        assert file is not None
    with store.build_folder() as work, file:
        home = work / "layer"
        with LayerWriter(home) as writer:
            digest = unpack_archive(file, writer, whiteouts=True)
        if digest != key:
            raise ImageError(f"the layer {blob[:100]} unpacks to sha256:{digest}; expected sha256:{key}")
        store.keep_layer(home, key)


def _is_there(files: Files, name: str) -> bool:
    file = files.open(name)
    if file:
        file.close()
    return file is not None


def _read_blob(files: Files, name: str, kind: type[Any], digest: str = "") -> Any:  # noqa: ANN401 - of that kind
    if (file := files.open(name)) is None:
        raise ImageError(f"{name[:100]} is missing in the image's layout")
    with file:
        data = file.read(_MOST_TEXT + 1)
    if len(data) > _MOST_TEXT:
        raise ImageError(f"{name[:100]} is longer than {_MOST_TEXT >> 20} MiB")
    if digest and digest != f"sha256:{hashlib.sha256(data).hexdigest()}":
        raise ImageError(f"{name[:100]} does not have the digest {digest[:80]} that names it")
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ImageError(f"{name[:100]} is not as an image's layout has it: {error}") from error


def _saved(files: Files, name: str) -> tuple[_ImageConfig, list[tuple[str, str]]]:
    """The manifests that `docker save` has written."""
    images: list[_Saved] = _read_blob(files, "manifest.json", list[_Saved])
    if len(images) > 1:
        images = [image for image in images if name in map(full_name, image.repo_tags or [])]
    if len(images) != 1:
        raise ImageError(
            f"the archive contains several images, and not one called {name}; name it as it is called there"
        )
    found = re.search("([0-9a-f]{64})", images[0].config)
    config = _read_blob(files, images[0].config, _ImageConfig, f"sha256:{found[1]}" if found else "")
    return config, [(path, "") for path in images[0].layers]


def _by_index(files: Files, name: str) -> tuple[_ImageConfig, list[tuple[str, str]]]:
    """An OCI layout."""
    found = list(_index_manifests(files, _read_blob(files, "index.json", _Index), 0))
    if len(found) > 1:
        named = [one for one in found if name in _reference_names(one)]
        found = named or found
    if len(found) != 1:
        raise ImageError(
            f"the layout contains {len(found)} images for linux/{machine_architecture()}, and not one called {name}; "
            "expected one"
        )
    manifest: _Manifest = _read_blob(files, _blob_path(found[0].digest), _Manifest, found[0].digest)
    config = _read_blob(files, _blob_path(manifest.config.digest), _ImageConfig, manifest.config.digest)
    return config, [(_blob_path(layer.digest), layer.digest) for layer in manifest.layers]


def _index_manifests(files: Files, index: _Index, depth: int) -> Iterator[_Descriptor]:
    """The manifests of an index, and of those that it names, for machines like this one."""
    for one in index.manifests[:_MOST_LAYERS]:
        place = one.platform
        if place and (place.os, place.architecture) != ("linux", machine_architecture()):
            continue
        if "index" in one.media_type or "manifest.list" in one.media_type:
            if depth < _DEEPEST:
                yield from _index_manifests(
                    files, _read_blob(files, _blob_path(one.digest), _Index, one.digest), depth + 1
                )
        else:
            yield one


def _reference_names(one: _Descriptor) -> set[str]:
    notes = one.annotations or {}
    names = {notes.get("org.opencontainers.image.ref.name", ""), notes.get("io.containerd.image.name", "")}
    found = set()
    for name in names - {""}:
        try:
            found.add(full_name(name))
        except ImageError:
            continue
    return found


def _blob_path(digest: str) -> str:
    if not (found := _DIGEST.fullmatch(digest)):
        raise ImageError(f"{digest[:80]!r} is not a digest; expected sha256: and 64 digits")
    return f"blobs/sha256/{found[1]}"
