"""Trying each layer of the sandbox on this machine, one at a time, each in a process of its own.

The answers go to standard output, packed: name, errno (0 for success), and what was found or which call was refused.
The last one, "sandbox", tries the whole.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial

from . import _kernel, _landlock, _seccomp, _wire
from ._box import Box, enter_user_namespace
from ._groups import Group, open_pool
from ._ids import Identity, choose_identity

_NAMESPACES = {
    "mount namespace": _kernel.CLONE_NEWNS,
    "pid namespace": _kernel.CLONE_NEWPID,
    "network namespace": _kernel.CLONE_NEWNET,
    "ipc namespace": _kernel.CLONE_NEWIPC,
    "uts namespace": _kernel.CLONE_NEWUTS,
}
_ENOSYS, _EPERM = 38, 1


def main() -> None:
    """Try everything; standard input holds the packed binds, links and hidden directories of a sandbox."""
    identity = choose_identity()
    places = sys.stdin.buffer.read()
    steps: dict[str, Callable[[], str]] = {"user namespace": lambda: _user(identity)}
    steps |= {name: partial(_namespace_probe, identity, flag, name) for name, flag in _NAMESPACES.items()}
    steps |= {
        "unused ids": lambda: _ids(identity),
        "no_new_privs": _no_new_privs,
        "seccomp": _filter,
        "landlock": _wall,
        "control groups": _groups,
        "overlayfs": lambda: _overlay(identity),
        "sandbox": lambda: _probe_report(identity, places),
    }
    for name, step in steps.items():
        number, detail = _run_apart(step)
        sys.stdout.buffer.write(_wire.pack_frame(name.encode(), b"%d" % number, detail))
    sys.stdout.buffer.flush()


def _run_apart(step: Callable[[], str]) -> tuple[int, bytes]:
    """Run a step in a child. Returns its errno, and what it found or which call was refused."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writer, b"0 " + step().encode())
        except OSError as error:
            os.write(writer, f"{error.errno} {error.filename or step}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    answer = os.read(reader, 4096)
    os.close(reader)
    os.waitpid(pid, 0)
    number, _, detail = answer.partition(b" ")
    return int(number or _EPERM), detail


def _user(identity: Identity) -> str:
    if identity.privileged:
        _kernel.unshare_namespaces(_kernel.CLONE_NEWUSER, "user")
    else:
        enter_user_namespace(identity)
    return "can be created"


def _namespace_probe(identity: Identity, flag: int, name: str) -> str:
    if not identity.privileged:
        enter_user_namespace(identity)
    _kernel.unshare_namespaces(flag, name.split(maxsplit=1)[0])
    return "can be created"


def _ids(identity: Identity) -> str:
    if not identity.privileged:
        raise OSError(_EPERM, "no capability to map others", f"ids inside are {identity.uid}:{identity.gid} outside")
    return f"ids inside are ids from {identity.uid} on outside, which nobody else has"


def _no_new_privs() -> str:
    _kernel.set_process_option(_kernel.PR_SET_NO_NEW_PRIVS, 1)
    return "can be set"


def _filter() -> str:
    if not _seccomp.is_supported():
        raise OSError(_ENOSYS, "unknown architecture", f"no filter is written for {os.uname().machine}")
    _kernel.set_process_option(_kernel.PR_SET_NO_NEW_PRIVS, 1)
    _seccomp.install()
    return "can be installed"


def _wall() -> str:
    if _landlock.landlock_version() < _landlock.OLDEST:
        raise OSError(_ENOSYS, "too old", f"version {_landlock.landlock_version()} of its interface")
    return f"version {_landlock.landlock_version()} of its interface"


def _groups() -> str:
    pool = open_pool()
    if pool is None:
        raise OSError(_EPERM, "not allowed", "none below which this process may make others with a limit of memory")
    pool.remove()
    return f"version {pool.version}, for {' and '.join(pool.homes)}"


def _overlay(identity: Identity) -> str:
    _namespace_probe(identity, _kernel.CLONE_NEWNS, "mount")
    _kernel.mount_filesystem("", "/", "", _kernel.MS_REC | _kernel.MS_PRIVATE)
    _kernel.mount_filesystem("tmpfs", "/tmp", "tmpfs")
    os.chdir("/tmp")
    for name in ("lower", "upper", "work"):
        os.mkdir(name)
    options = "lowerdir=lower,upperdir=upper,workdir=work" + ("" if identity.privileged else ",userxattr")
    _kernel.mount_filesystem("overlay", "/tmp", "overlay", 0, options)
    return "can be mounted: what a sandbox shows of this machine has inodes of its own"


def _probe_report(identity: Identity, places: bytes) -> str:
    box = Box(identity, Group())
    box.furnish_root(places, 1 << 20)
    box.destroy_box()
    return "can be built"
