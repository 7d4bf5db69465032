"""The file system of a box: the machine's programs read-only, a few writable directories, and nothing else.

Built in a fresh mount namespace: a small tmpfs becomes the root, the host's root is moved to `/.old`, programs are
bind-mounted from there, and at the end `/.old` is detached, which leaves no way back, and the root is made read-only.
What the host's `/etc` holds is not shown, except the linker's cache and the links of alternatives, without which
programs don't start.
"""

from __future__ import annotations

import os

from . import _kernel, _wire
from ._confine import USER

__all__ = ["OLD", "Plan", "build", "finish", "mode_of", "mount_proc"]

OLD = "/.old"
_DATA = "/.data"
_SHARED = ("/tmp", "/dev/shm")
_EMPTY = "/var/empty"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_HIDDEN = ("keys", "key-users", "timer_list", "kallsyms")
_INODES = 200_000

_ETC = {
    "passwd": (
        f"root:x:0:0:root:/:/bin/sh\nuser:x:{USER}:{USER}:user:HOME:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"
    ),
    "group": f"root:x:0:\nuser:x:{USER}:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost box\n::1 localhost\n",
    "hostname": "box\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "resolv.conf": "",
    "services": "",
    "protocols": "ip 0 IP\nicmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\n",
}


class Plan:
    """What a box shows of the machine, and what can be written to."""

    def __init__(self, packed: bytes) -> None:
        """Take apart what `_places.py` has encoded."""
        binds, links, hidden, writable = map(_paths, _wire.unpack(packed))
        self.binds = list(zip(binds[::2], binds[1::2], strict=True))
        """Directories and files of the machine: where they are (links resolved), and where they appear."""
        self.links = list(zip(links[::2], links[1::2], strict=True))
        """Symbolic links to make: where, and to what."""
        self.hidden = hidden
        """Directories to show empty."""
        self.writable = (*writable, *_SHARED)
        """Directories that can be written to, the workspace first."""


def _paths(packed: bytes) -> list[str]:
    return [os.fsdecode(path) for path in _wire.unpack(packed)]


def build(plan: Plan, disk: int, owner: tuple[int, int]) -> None:
    """Make the new root, in a mount namespace of this process's own; the old one stays at `OLD` until `finish`.

    Args:
        plan: What to show, and what shall be writable.
        disk: Bytes of the writable directories together.
        owner: User and group, as this process numbers them, who own the writable directories.
    """
    _kernel.mount("", "/", "", _kernel.MS_REC | _kernel.MS_PRIVATE)
    _kernel.mount("tmpfs", "/tmp", "tmpfs", _kernel.MS_NOSUID | _kernel.MS_NODEV, "size=4m,nr_inodes=4096,mode=755")
    os.mkdir("/tmp" + OLD)
    _kernel.pivot_root("/tmp", "/tmp" + OLD)
    os.chdir("/")
    os.umask(0o022)
    _writable(plan.writable, disk, owner)
    _devices()
    os.makedirs(_EMPTY)
    os.symlink("/tmp", "/var/tmp")
    os.mkdir("/proc", 0o555)
    os.mkdir("/etc")
    for name, text in _ETC.items():
        _file("/etc/" + name, text.replace("HOME", plan.writable[0]))
    for source, target in plan.binds:
        _show(OLD + source, target)
        _kernel.make_read_only(target)
    for path in plan.hidden:
        if os.path.isdir(path):
            _kernel.bind(_EMPTY, path)
            _kernel.make_read_only(path)
    for path, goal in plan.links:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(goal, path)


def mode_of(target: str) -> int:
    """Permissions of a writable directory, as long as nobody in the box has changed them."""
    return 0o1777 if target in _SHARED else 0o755


def finish() -> None:
    """Let go of the old root and make the new one read-only."""
    _kernel.detach(OLD)
    os.rmdir(OLD)
    read_only = _kernel.MS_REMOUNT | _kernel.MS_BIND | _kernel.MS_RDONLY | _kernel.MS_NOSUID | _kernel.MS_NODEV
    _kernel.mount("", "/", "", read_only)


def mount_proc() -> None:
    """Show the processes of this pid namespace, to each user its own, and hide what tells about the machine."""
    options = "hidepid=2"
    _kernel.mount("proc", "/proc", "proc", _kernel.MS_NOSUID | _kernel.MS_NODEV | _kernel.MS_NOEXEC, options)
    for name in _HIDDEN:
        if os.path.exists("/proc/" + name):
            _kernel.bind("/dev/null", "/proc/" + name)


def _writable(targets: tuple[str, ...], size: int, owner: tuple[int, int]) -> None:
    """One tmpfs behind all writable directories, so that one limit holds for their sum."""
    os.mkdir(_DATA)
    options = f"size={size},nr_inodes={_INODES},mode=755"
    _kernel.mount("tmpfs", _DATA, "tmpfs", _kernel.MS_NOSUID | _kernel.MS_NODEV, options)
    for number, target in enumerate(targets):
        source = f"{_DATA}/{number}"
        os.mkdir(source)
        os.chown(source, *owner)
        os.chmod(source, mode_of(target))
        os.makedirs(target)
        _kernel.bind(source, target)
    _kernel.detach(_DATA)
    os.rmdir(_DATA)


def _devices() -> None:
    """The devices that hold no secret and do no harm; links for the standard streams."""
    for name in _DEVICES:
        if os.path.exists(f"{OLD}/dev/{name}"):
            _show(f"{OLD}/dev/{name}", f"/dev/{name}")
    for name, goal in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink("/proc/self/fd" + goal, "/dev/" + name)


def _show(source: str, target: str) -> None:
    """Bind-mount a directory or file on a place made for it."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        _file(target, "")
    _kernel.bind(source, target)


def _file(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    os.write(fd, text.encode())
    os.close(fd)
