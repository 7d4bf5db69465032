"""A sandbox in an image: commands are the image's users, start where the image says, and may change all its files.

Its snapshot is all that was changed of the image, see `_changes`; a sandbox opened over such a snapshot begins with it.
What lies in `/dev/shm` is in memory, and no part of it; processes are none either.
"""

import os
import posixpath
import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.to_thread

from honestly._group import flat_group
from honestly.errors import SandboxError, SandboxLimitError, SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox._api import HERE, NO_ENV, Limits, NetworkedSandbox, Process, Result, Sandbox
from honestly.sandbox._egress import Egress
from honestly.sandbox._layout import Layout
from honestly.sandbox._pausing import Patience, PausableSandbox
from honestly.sandbox.images._changes import lay_over, read_changes
from honestly.sandbox.images._layer import tree_size
from honestly.sandbox.images._model import ImageError, RootImage
from honestly.sandbox.images._paths import user_ids
from honestly.sandbox.images._run import WORKSPACE
from honestly.sandbox.images._store import VARIABLE, ImageStore

Open = Callable[..., AbstractAsyncContextManager[Sandbox]]
"""Opens a sandbox, as `open_sandbox` does: a tree, `layout=`, `limits=`, `egress=`."""

SERVICES_FOLDER = ".honestly-services"
"""Where snapshots keep what was changed of the services beside an image."""
_MOST_KEPT_MB = 1024
_PAUSE_S, _SHARE = 1.0, 10
_LEAST = 32 << 20
"""Bytes of room on the disk below which nothing that fails inside says anything of who works there."""
_WRITE = 'mkdir -p -- "${1%/*}/" && cat >"$1" && chmod "$2" "$1"'
"""Creates a file as the user who shall own it; the sandbox itself writes as root."""
_BUNDLE = "/run/.honestly-certificates"
_TRUST = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS")


@dataclass(frozen=True, kw_only=True)
class SandboxSettings:
    """The settings of a sandbox in an image beside the image."""

    user: str = ""
    """Who commands are, as `USER` names one; the image's user where empty."""
    workdir: str = ""
    """Where they start; the image's place where empty."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables beside the image's."""
    network: Egress | None = None
    limits: Limits = field(default_factory=Limits)
    storage_mb: int = 10_240
    """MiB of the image's files that it may change or add; a snapshot holds at most 1 GiB of them."""
    left_out: tuple[str, ...] = ()
    """Paths, relative to the root, that are no part of a snapshot."""
    shown: Mapping[str, Path] = field(default_factory=dict)
    """Files and directories of this machine to show, read-only."""
    private: tuple[str, ...] = ()
    """Directories beside the image, empty at first, that are in memory and no part of a snapshot."""
    named_streams: bool = False
    """As `Layout.named_streams`."""
    hosts: Mapping[str, str] = field(default_factory=dict)
    """As `Layout.hosts`."""


def _free_bytes(folder: Path) -> int:
    """Bytes that may still be written to the disk of a folder."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def _check_room(folder: Path) -> None:
    if (room := _free_bytes(folder)) < _LEAST:
        raise SandboxUnavailableError(
            f"the disk under {folder} is full ({room >> 20} MiB are left); make room there, or keep images elsewhere "
            f"({VARIABLE})"
        )


def machine_trust(trusted: str) -> tuple[dict[str, Path], dict[str, str]]:
    """The files and variables that show an image which authorities this machine trusts: files to show, and variables.

    Args:
        trusted: A file of certificates (`SSL_CERT_FILE`); empty where nobody named one, and the image's own count.
    """
    if not trusted or not Path(trusted).is_file():
        return {}, {}
    return {_BUNDLE: Path(trusted)}, dict.fromkeys(_TRUST, _BUNDLE)


@asynccontextmanager
async def open_image(
    image: RootImage, changes: Tree, stay: SandboxSettings, open_box: Open
) -> "AsyncIterator[ImageSandbox]":
    """Open a sandbox in an image.

    Args:
        image: Which.
        changes: What was changed of it, as a snapshot gives it.
        stay: What else the sandbox gets.
        open_box: Opens the sandbox; `open_sandbox`.

    Raises:
        ImageError: The image has no such user, or cannot be opened where others can, or the changes are damaged.
        SandboxUnavailableError: This kind of sandbox knows no images, or cannot be had here, or the disk is full.
    """
    store = ImageStore()
    with store.build_folder() as work:
        _check_room(work)
        root = image.root
        if changes.files:
            root = await anyio.to_thread.run_sync(lay_over, image, changes, work)
        kept = work / "kept"
        kept.mkdir()
        ids, home = user_ids(root, stay.user or image.user)
        layout = Layout(
            workspace=WORKSPACE, private=stay.private, shown=stay.shown, terminals=True,
            root=root, open_root=True, user=ids, changes=kept, named_streams=stay.named_streams, hosts=stay.hosts,
        )  # fmt: skip
        name = (stay.user or image.user or "root").partition(":")[0]
        env = {"HOME": home, "USER": name, "LOGNAME": name, **image.env, **stay.env, "PYTHONDONTWRITEBYTECODE": ""}
        async with AsyncExitStack() as stack:
            opening = open_box(Tree(), layout=layout, limits=stay.limits, egress=stay.network)
            try:
                inner = await stack.enter_async_context(opening)
            except (ValueError, SandboxUnavailableError) as error:
                async with open_box(Tree()) as plain:  # which this machine lets us build, or says why it does not
                    kind = plain.name
                if kind != "namespaces":
                    raise SandboxUnavailableError(f"only the sandbox of namespaces opens images: {error}") from error
                raise ImageError(f"the image cannot be opened: {error}") from error
            where = stay.workdir or image.workdir
            box = ImageSandbox(inner, kept / "files", stay, workdir=where, env=env, is_root=ids[0] == 0)
            async with flat_group() as group:
                group.start_soon(box.watch)
                yield box
                group.cancel_scope.cancel()


class ImageSandbox:
    """A sandbox in an image; made by `open_image`."""

    def __init__(
        self, inner: Sandbox, kept: Path, stay: SandboxSettings, *, workdir: str, env: Mapping[str, str], is_root: bool
    ) -> None:
        self.inner = inner
        """The sandbox of namespaces behind it."""
        self.name: str = inner.name
        self.limits = stay.limits
        self._kept, self._left_out, self._storage_mb = kept, stay.left_out, stay.storage_mb
        self.overfull = False
        """It was closed since more was written than it may hold."""
        self.beside: dict[str, ImageSandbox] = {}
        """Sandboxes of services that stand still, end and are kept with this one: what was changed of each lies below
        `SERVICES_FOLDER` and its name."""
        self._is_root = is_root
        self._workdir, self._env = workdir or "/", dict(env)

    async def exec(
        self,
        command: str | Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the command's deadline, not the caller's patience
        env: Mapping[str, str] = NO_ENV,
        stdin: bytes = b"",
        cwd: str = HERE,
    ) -> Result:
        """Run a command to its end; see `Sandbox.exec`."""
        given = {**self._env, **env}
        return await self.inner.exec(command, timeout=timeout, env=given, stdin=stdin, cwd=self._absolute_path(cwd))

    async def start(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] = NO_ENV,
        cwd: str = HERE,
        stdio: socket.socket | None = None,
    ) -> Process:
        """Start a command; see `Sandbox.start`."""
        return await self.inner.start(command, env={**self._env, **env}, cwd=self._absolute_path(cwd), stdio=stdio)

    async def read(self, path: str) -> bytes:
        """Return the content of a file; see `Sandbox.read`."""
        return await self.inner.read(self._absolute_path(path))

    async def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Create or replace a file; see `Sandbox.write`."""
        if self._is_root:
            await self.inner.write(self._absolute_path(path), data, executable=executable)
            return
        words = ["/bin/sh", "-c", _WRITE, "sh", self._absolute_path(path), "755" if executable else "644"]
        result = await self.exec(words, stdin=data, cwd="/")
        if result.code != 0:
            why = result.stderr.strip()[-200:].decode("utf-8", "replace")
            raise (SandboxLimitError if b"No space left" in result.stderr else SandboxError)(f"{path}: {why}")

    async def listen(self, port: int = 0, address: str = "127.0.0.1") -> socket.socket:
        """Return a socket that listens inside; see `DoorSandbox.listen`."""
        return await self._networked.listen(port, address)

    async def connect(self, port: int) -> socket.socket:
        """Return a socket that is connected to a port inside; see `NetworkedSandbox.connect`."""
        return await self._networked.connect(port)

    async def open_ports(self) -> frozenset[int]:
        """The ports inside on which something listens; see `NetworkedSandbox.open_ports`."""
        return await self._networked.open_ports()

    @property
    def _networked(self) -> NetworkedSandbox:
        if not isinstance(self.inner, NetworkedSandbox):
            raise SandboxError(f"a sandbox of the kind {self.name!r} has no doors")
        return self.inner

    async def snapshot(self) -> Tree:
        """Return all that was changed of the image; see `read_changes`.

        Raises:
            SandboxUnavailableError: The disk is full, and not by what lies here: whatever failed inside, it was that.
        """
        _check_room(self._kept)
        if self.overfull:
            raise SandboxLimitError(f"more than {self._storage_mb} MiB were written")
        most = min(self._storage_mb, _MOST_KEPT_MB) << 20
        left_out = (*self._left_out, SERVICES_FOLDER) if self.beside else self._left_out
        tree = await anyio.to_thread.run_sync(read_changes, self._kept, left_out, most)
        for name, box in self.beside.items():
            changed = await box.snapshot()
            compiled = [path for path in changed.files if "__pycache__/" in path]
            tree = changed.without(compiled).under(f"{SERVICES_FOLDER}/{name}").over(tree)
        return tree

    @property
    def patience(self) -> Patience:
        """The deadlines over work in it; see `PausableSandbox`."""
        return self._pausable[0].patience

    async def pause(self) -> None:
        """Let nothing run until `resume`, here and beside; see `PausableSandbox.pause`."""
        for box in self._pausable:
            await box.pause()

    async def resume(self) -> None:
        """Let everything run again; see `PausableSandbox.resume`."""
        for box in reversed(self._pausable):
            await box.resume()

    @property
    def _pausable(self) -> list[PausableSandbox]:
        boxes = [box.inner for box in (self, *self.beside.values())]
        return [box for box in boxes if isinstance(box, PausableSandbox)]

    async def watch(self) -> None:
        """Look now and then how much was written; close the sandbox when that is too much, or the disk is full."""
        while True:
            began = anyio.current_time()
            written = await anyio.to_thread.run_sync(tree_size, self._kept)
            self.overfull = written > self._storage_mb << 20
            if self.overfull or _free_bytes(self._kept) < _LEAST:
                await self.inner.close()
                return
            await anyio.sleep(max(_PAUSE_S, _SHARE * (anyio.current_time() - began)))

    async def close(self) -> None:
        """Kill everything inside, and beside; see `Sandbox.close`."""
        for box in (self, *self.beside.values()):
            await box.inner.close()

    def _absolute_path(self, path: str) -> str:
        return posixpath.normpath(posixpath.join(self._workdir, path))
