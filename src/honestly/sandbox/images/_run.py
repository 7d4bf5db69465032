"""`RUN`: a step of a build, in a sandbox whose root file system is the image so far; what it changes becomes a layer.

The code is somebody else's, and has root's rights over the image's files. It has none over this machine, sees no file
of it but those that are shown to it, and no network but by the proxy that the build allows.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import anyio.to_thread

from honestly.errors import SandboxError
from honestly.records import Tree
from honestly.sandbox._api import Limits, Result
from honestly.sandbox._egress import Egress, EgressRequest
from honestly.sandbox._guest._ids import choose_identity
from honestly.sandbox._layout import Layout
from honestly.sandbox._open import open_sandbox
from honestly.sandbox.images._layer import tree_size
from honestly.sandbox.images._upper import take_changes

WORKSPACE = "/run/.honestly"
SANDBOX_PATHS = (
    *("dev", "proc", "sys", WORKSPACE[1:], "etc/hosts", "etc/hostname", "etc/resolv.conf"),
    *(".honestly-old", ".honestly-data", ".honestly-image"),
)
"""What a sandbox puts into every image."""
_APT = "etc/apt/apt.conf.d"
_MEMORY_DISK_MB = 512
_PAUSE_S = 0.5
_SHARE = 20
_QUOTED = 3000


@dataclass(frozen=True, kw_only=True)
class SetUp:
    """The settings of a build's steps that trials in the image do not get."""

    network: Egress | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, Path] = field(default_factory=dict)
    limits: Limits = field(
        default=Limits(
            wall_s=1800, cpu_s=3600, memory_mb=4096, processes=1024, file_mb=8192, disk_mb=16384, open_files=4096
        )
    )


class StepError(SandboxError):
    """A step of a build did not do its work."""


async def run_step(
    argv: list[str], root: Path, home: Path, set_up: SetUp, *, ids: tuple[int, ...], env: Mapping[str, str], cwd: str
) -> None:
    """Run a command that changes an image, and make a layer of what it has changed.

    Args:
        argv: Program and arguments.
        root: The image's files so far.
        home: A directory to be made, which gets the layer.
        set_up: What the step gets.
        ids: Who it is in the image.
        env: Its variables.
        cwd: Where it starts; absolute.

    Raises:
        StepError: It ended with an error, or was ended at a limit.
        SandboxLimitError: It left what no layer can hold.
    """
    os.mkdir(home, 0o700)
    refused: list[EgressRequest] = []
    network = set_up.network and replace(set_up.network, log=_Log(set_up.network, refused))
    # A file that keeps `apt` from becoming somebody else, where there is one id for all; none where there are more.
    if not choose_identity().acting_as((0, 0)).shares_one_id or not (root / _APT).is_dir():
        for_apt = {}
    else:
        settings = home.with_suffix(".apt")
        settings.write_text('APT::Sandbox::User "root";\n')
        for_apt = {f"/{_APT}/99one-id": settings}
    shown = {**for_apt, **set_up.shown}
    layout = Layout(workspace=WORKSPACE, root=root, open_root=True, user=ids, changes=home, terminals=True, shown=shown)
    limits = replace(set_up.limits, disk_mb=_MEMORY_DISK_MB)
    async with open_sandbox(Tree(), limits, layout=layout, egress=network) as box, anyio.create_task_group() as group:
        full = _Watch(home / "files", set_up.limits.disk_mb << 20, group.cancel_scope)
        group.start_soon(full.watch)
        result = await box.exec(argv, env={**env, **set_up.env, "PYTHONDONTWRITEBYTECODE": ""}, cwd=cwd)
        group.cancel_scope.cancel()
    if full.found:
        raise StepError(f"it wrote more than {set_up.limits.disk_mb} MiB, or this machine's disk is full")
    if result.code != 0:
        raise StepError(_failure_words(result, set_up, refused))
    await anyio.to_thread.run_sync(take_changes, home, SANDBOX_PATHS)


class _Log:
    """Passes requests on to the caller's log, and keeps those that were refused."""

    def __init__(self, network: Egress, refused: list[EgressRequest]) -> None:
        self._log, self._refused = network.log, refused

    def __call__(self, request: EgressRequest) -> None:
        if not request.allowed:
            self._refused.append(request)
        self._log(request)


class _Watch:
    """Looks how much a step has written, now and then, and ends it if that is too much."""

    def __init__(self, folder: Path, most: int, scope: anyio.CancelScope) -> None:
        self._folder, self._most, self._scope = folder, most, scope
        self.found = False

    async def watch(self) -> None:
        """Look until the step has ended."""
        while not self.found:
            began = anyio.current_time()
            await anyio.sleep(_PAUSE_S)
            disk = os.statvfs(self._folder)
            left = disk.f_bavail * disk.f_frsize
            written = await anyio.to_thread.run_sync(tree_size, self._folder)
            if written > self._most or left < min(self._most, disk.f_blocks * disk.f_frsize) // _SHARE:
                self.found = True
                self._scope.cancel()
            await anyio.sleep((anyio.current_time() - began) * _SHARE / 2)


def _failure_words(result: Result, set_up: SetUp, refused: list[EgressRequest]) -> str:
    how = f"it ended with {result.code}"
    if result.timed_out:
        how = f"it was ended after {set_up.limits.wall_s:.0f} s"
    elif result.out_of_memory:
        how = f"it held more than {set_up.limits.memory_mb} MiB in memory"
    said = (result.stdout[-_QUOTED:] + result.stderr[-_QUOTED:]).decode(errors="replace").strip()
    if set_up.network is None:
        how += " (it had no network)"
    hosts = sorted({f"{request.host}:{request.port} ({request.reason})" for request in refused if request.host})
    if hosts:
        how += f"; it was refused {', '.join(hosts[:5])}"
    return f"{how}; it wrote last:\n{said}" if said else how
