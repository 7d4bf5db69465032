"""Which walls this machine can build: tried, not guessed, for `honestly doctor` and for the record of a study."""

import os
import platform
import sys
from dataclasses import dataclass
from functools import cache

from honestly.sandbox._api import Sandbox
from honestly.sandbox._guest import _wire
from honestly.sandbox._machine import NAMESPACE_ADVICE
from honestly.sandbox._places import encoded_places
from honestly.sandbox._spawner import guest_command
from honestly.scratch import run_owned

_ADVICE = {
    "unused ids": (
        "Nothing needs to be done: the other layers hold. Run as root, and the processes inside get ids of their own."
    ),
    "seccomp": "Use a kernel with CONFIG_SECCOMP_FILTER, on x86-64 or 64-bit ARM.",
    "landlock": "Use Linux 5.19 or newer, with `landlock` among the `lsm=` of the kernel's command line.",
    "control groups": (
        "Memory of all processes together is then watched by sampling, and what the kernel keeps for sockets and pipes "
        "is not limited. Run as root; or, where systemd runs, as `systemd-run --user --scope honestly ...`."
    ),
    "overlayfs": (
        "Without it there are no root file systems from images, and sandboxes share the inodes of what they show of "
        "this machine: code in two that live at once can talk by locks. Use Linux 5.12 or newer, `modprobe overlay`."
    ),
}
_TIMEOUT_S = 30


@dataclass(frozen=True, slots=True)
class Layer:
    """One wall, or one piece of one."""

    name: str
    """What the kernel's documentation calls it."""
    present: bool
    """Whether this machine gives it to this user."""
    detail: str
    """What was found, or which call was refused and why."""
    advice: str
    """What to do about its absence; empty if it is present."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The layers of a sandbox on this machine."""

    kernel: str
    """Operating system, version and architecture."""
    usable: bool
    """Whether a sandbox can be built; what is optional may still be missing."""
    layers: tuple[Layer, ...]
    """Every layer, present or not."""

    def __str__(self) -> str:
        present = ", ".join(layer.name for layer in self.layers if layer.present)
        return f"{self.kernel}: {present or 'nothing'}"


def isolation_layers() -> Layers:
    """Try every layer in a process of its own; takes some ten milliseconds, and changes nothing.

    Raises:
        subprocess.SubprocessError: The interpreter cannot be started.
    """
    kernel = f"{platform.system()} {platform.release()} {platform.machine()}"
    if sys.platform != "linux":
        return Layers(kernel, usable=False, layers=())
    command = guest_command("from _guest._probe import main; main()")
    done = run_owned(command, stdin=encoded_places(), timeout=_TIMEOUT_S, env={})
    done.check_returncode()
    found: list[Layer] = []
    for field, number, seen in _wire.take_frames(bytearray(done.stdout), len(done.stdout)):
        name, refusal, detail = field.decode(), int(number), seen.decode(errors="replace")
        if refusal:
            advice = _ADVICE.get(name, NAMESPACE_ADVICE)
            found.append(Layer(name, False, f"{detail}: {os.strerror(refusal)}", advice))
        else:
            found.append(Layer(name, True, detail, ""))
    return Layers(kernel, usable=found[-1].present, layers=tuple(found[:-1]))


def layers_around(box: Sandbox) -> tuple[str, ...] | None:
    """Names of the layers around an open sandbox; None for one that is not ours, whatever it calls itself."""
    if box.name == "namespaces":
        from honestly.sandbox._linux import LinuxSandbox  # late: other systems do not have it
        from honestly.sandbox.images import ImageSandbox

        inner = box.inner if type(box) is ImageSandbox else box
        return _present() if type(inner) is LinuxSandbox else None
    if box.name == "none":
        from honestly.sandbox._unsafe import UnsafeSandbox

        return () if type(box) is UnsafeSandbox else None
    return None


@cache
def _present() -> tuple[str, ...]:
    """Names of the layers that this machine gives; trying them takes some ten milliseconds, once."""
    return tuple(layer.name for layer in isolation_layers().layers if layer.present)
