"""Taking rights away: identities, capabilities, resource limits.

Two callers with different needs. The keeper and the box's init give up what they no longer need once the box stands
(`seal`), and the filter they install is inherited by everything after them. A command, between fork and exec, becomes
the box's user without any capability and with the box's resource limits (`become_user`).
"""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass

from . import _kernel, _seccomp

__all__ = ["USER", "Allowance", "Identity", "become_user", "choose_identity", "seal"]

USER = 1000
"""The id, inside the box, of everything that the box runs."""

_LAST_CAPABILITY = 40
_NO_ROOT, _NO_ROOT_LOCKED = 1, 2
_NEEDED = (1 << 21) | (1 << 7) | (1 << 6)  # SYS_ADMIN, SETUID, SETGID
_HIGH = 2_000_000_000


@dataclass(frozen=True)
class Identity:
    """Who the box's processes are on the machine outside."""

    privileged: bool
    """Built by a capable root: keeper and commands have ids of their own, which nothing else on the machine uses."""
    uid: int
    """Outside: of the box's root if `privileged`, and that plus one of its user; else of the user."""
    gid: int
    """Likewise."""


@dataclass(frozen=True)
class Allowance:
    """Resource limits of one process, in the units of setrlimit."""

    cpu_s: int
    memory: int
    processes: int
    file: int
    open_files: int


def choose_identity() -> Identity:
    """Decide how ids are mapped: to unused ones if this process may do that, else to its own."""
    capabilities = 0
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        for line in status:
            if line.startswith("CapEff:"):
                capabilities = int(line.split()[1], 16)
    uid, gid = _unused("/proc/self/uid_map"), _unused("/proc/self/gid_map")
    if os.geteuid() == 0 and capabilities & _NEEDED == _NEEDED and uid and gid:
        return Identity(privileged=True, uid=uid, gid=gid)
    return Identity(privileged=False, uid=os.geteuid(), gid=os.getegid())


def _unused(path: str) -> int:
    """Return the first of two ids that exist in this user namespace but belong to nobody; 0 if there are none."""
    with open(path, encoding="ascii") as lines:
        extents = [tuple(map(int, line.split())) for line in lines]
    first, _, count = max(extents, key=lambda extent: extent[2])
    if first <= _HIGH and first + count > _HIGH + 2:
        return _HIGH
    return first + count - 4 if count > USER else 0


def seal() -> None:
    """Make this process and all that it starts unable to gain rights, and itself invisible to debuggers."""
    for capability in range(_LAST_CAPABILITY + 1):
        _kernel.prctl(_kernel.PR_CAPBSET_DROP, capability)
    _kernel.prctl(_kernel.PR_CAP_AMBIENT, _kernel.PR_CAP_AMBIENT_CLEAR_ALL)
    _kernel.prctl(_kernel.PR_SET_SECUREBITS, _NO_ROOT | _NO_ROOT_LOCKED)
    _kernel.prctl(_kernel.PR_SET_NO_NEW_PRIVS, 1)
    _kernel.prctl(_kernel.PR_SET_DUMPABLE, 0)
    if _seccomp.supported():
        _seccomp.install()


def become_user(identity: Identity, allowance: Allowance) -> None:
    """Turn a fresh child of the keeper into the box's user, for good."""
    own = 0 if identity.privileged else 2  # keeper and init have the same id as the user, and count
    for kind, value in (
        (resource.RLIMIT_CPU, allowance.cpu_s),
        (resource.RLIMIT_DATA, allowance.memory),
        (resource.RLIMIT_NPROC, allowance.processes + own),
        (resource.RLIMIT_FSIZE, allowance.file),
        (resource.RLIMIT_NOFILE, allowance.open_files),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 1 << 16),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
    if identity.privileged:
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
    _kernel.clear_capabilities()
    os.umask(0o022)
