"""The parts of an image: its configuration, which names it, and where its files lie."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from honestly.errors import SandboxError

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where programs are looked for in an image that does not say so."""

_DEFAULT_HOST = re.compile(r"(?:index\.)?docker\.[a-z]{2}/")
_REFERENCE = re.compile(r"[a-z0-9]([a-z0-9._/:-]*[a-z0-9])?(:[\w][\w.-]{0,127})?(@sha256:[0-9a-f]{64})?", re.ASCII)
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


class ImageError(SandboxError):
    """An image, an archive of one, or what shall be built into one is not as expected."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """The written record of an image; its hash is the image's id."""

    layers: tuple[str, ...]
    """Ids of the layers, lowest first."""
    env: dict[str, str] = {}
    workdir: str = "/"
    user: str = ""
    entrypoint: tuple[str, ...] = ()
    cmd: tuple[str, ...] = ()
    shell: tuple[str, ...] = ("/bin/sh", "-c")

    def encoded_config(self) -> bytes:
        """The bytes that are kept."""
        return msgspec.json.encode(self, order="sorted")

    @property
    def id(self) -> str:
        """SHA-256 of what is kept, in hexadecimal digits."""
        return hashlib.sha256(self.encoded_config()).hexdigest()


@dataclass(frozen=True)
class RootImage:
    """An image in the store of this machine. Nothing changes its files."""

    id: str
    """SHA-256 of its configuration, in hexadecimal digits."""
    name: str
    """One of its names, the first in order; empty if it has none."""
    layers: tuple[Path, ...]
    """The directories of its layers, unpacked, lowest first. Other images may share them."""
    root: Path
    """All its layers, one over the other: what `Layout(root=...)` takes."""
    env: Mapping[str, str]
    """Variables that its commands get."""
    workdir: str
    """Where its commands start; absolute."""
    user: str
    """Who its commands are, as `USER` gives it: a name or a number, and after a colon a group; empty for root."""
    entrypoint: tuple[str, ...]
    """The program, and its first arguments."""
    cmd: tuple[str, ...]
    """The arguments that follow, unless others are given; or program and arguments, without an entry point."""


@dataclass(frozen=True)
class ImageSize:
    """How many bytes an image holds on disk."""

    own: int
    """In layers that no other image of the store has."""
    shared: int
    """In layers that others have as well."""


def full_name(name: str) -> str:
    """A name as the store keeps it: without what every registry's client adds by itself, with a tag.

    `library/python` and `python` are both `python:latest`, also behind the host that Docker itself puts before them.
    Where there is a digest, a tag before it says nothing.

    Raises:
        ImageError: It is not a name.
    """
    short = _DEFAULT_HOST.sub("", name).removeprefix("library/")
    if len(short) > 255 or not _REFERENCE.fullmatch(short):
        raise ImageError(f"{name[:80]!r} is not a name of an image; expected one such as python:3.12-slim or me/tools")
    name, at, digest = short.partition("@")
    folder, _, last = name.rpartition("/")
    plain, _, tag = last.partition(":")
    return f"{folder}/{plain}".lstrip("/") + (at + digest or f":{tag or 'latest'}")


def machine_architecture() -> str:
    """This machine's, as images name it."""
    machine = os.uname().machine
    return _MACHINES.get(machine, machine)
