"""Taking rights away: identities, capabilities, resource limits.

The keeper, once its box stands, gives up what it no longer needs (`seal`): with no_new_privs no program that is
executed from then on gains anything, whatever its owner, mode or file capabilities, and the filter is inherited by all.
A command, between fork and exec, becomes the box's user without any capability and with the box's resource limits
(`become_user`).
"""

from __future__ import annotations

import os
import resource
from collections.abc import Sequence

from . import _kernel, _landlock, _seccomp

__all__ = ["USER", "Allowance", "Identity", "become_user", "choose_identity", "seal"]

USER = 1000
"""The id, inside the box, of everything that the box runs."""

_NEEDED = (1 << 21) | (1 << 7) | (1 << 6)  # SYS_ADMIN, SETUID, SETGID
_HIGH = 2_000_000_000
_SPREAD = 2 << 22  # two ids for each possible process number


class Identity:
    """Who the box's processes are on the machine outside."""

    __slots__ = ("gid", "privileged", "uid")

    def __init__(self, *, privileged: bool, uid: int, gid: int) -> None:
        """State an identity.

        Args:
            privileged: Built by a capable root: keeper and commands have ids that nothing else on the machine uses.
            uid: Outside: of the keeper if `privileged`, and that plus one of the box's user; else of both.
            gid: Likewise.
        """
        self.privileged = privileged
        self.uid = uid
        self.gid = gid

    def of(self, keeper: int) -> Identity:
        """The identity of one keeper, by its process number: boxes share nothing that the kernel counts by user."""
        if not self.privileged or self.uid != _HIGH or self.gid != _HIGH:
            return self
        return Identity(privileged=True, uid=_HIGH + 2 * keeper, gid=_HIGH + 2 * keeper)

    def put_on(self) -> None:
        """Act with the user's identity and rights from now on, keeping the way back."""
        if self.privileged:
            os.setegid(USER)
            os.seteuid(USER)

    def take_off(self) -> None:
        """Act as the keeper again."""
        if self.privileged:
            os.seteuid(0)
            os.setegid(0)


class Allowance:
    """Resource limits of one process, in the units of setrlimit, no higher than those that hold here already."""

    def __init__(self, cpu_s: int, memory: int, processes: int, file: int, open_files: int) -> None:
        self.memory = memory
        self.processes = processes
        self._limits = [
            (resource.RLIMIT_CPU, cpu_s),
            (resource.RLIMIT_DATA, memory),
            (resource.RLIMIT_FSIZE, file),
            (resource.RLIMIT_NOFILE, open_files),
            (resource.RLIMIT_CORE, 1),  # not 0, with which a crash would still start the machine's crash handler
            (resource.RLIMIT_MEMLOCK, 1 << 16),
        ]

    def bounds(self, identity: Identity) -> list[tuple[int, int]]:
        """What to set, kind by kind, for a process of the box's user."""
        own = 0 if identity.privileged else 2  # keeper and init have the same id as the user, and count
        found = []
        for kind, value in [*self._limits, (resource.RLIMIT_NPROC, self.processes + own)]:
            hard = resource.getrlimit(kind)[1]
            found.append((kind, value if hard == resource.RLIM_INFINITY else min(value, hard)))
        return found


def choose_identity() -> Identity:
    """Decide how ids are mapped: to unused ones if this process may do that, else to its own."""
    status = _contents("/proc/self/status").split()
    capabilities = int(status[status.index(b"CapEff:") + 1], 16)
    uid, gid = _unused("/proc/self/uid_map"), _unused("/proc/self/gid_map")
    if os.geteuid() == 0 and capabilities & _NEEDED == _NEEDED and uid and gid:
        return Identity(privileged=True, uid=uid, gid=gid)
    return Identity(privileged=False, uid=os.geteuid(), gid=os.getegid())


def _unused(path: str) -> int:
    """Return the first of two ids that exist in this user namespace but belong to nobody; 0 if there are none."""
    numbers = [int(number) for number in _contents(path).split()]
    first, count = max(zip(numbers[::3], numbers[2::3], strict=True), key=lambda extent: extent[1])
    if first <= _HIGH and first + count > _HIGH + _SPREAD:
        return _HIGH
    return first + count - 4 if count > USER else 0


def _contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def seal(writable: Sequence[str], *, clone3: bool) -> None:
    """Make this process and all that it starts unable to gain rights, and itself invisible to debuggers.

    Args:
        writable: Directories below which files may be changed.
        clone3: Keep that call for this process, which must see to it that no other has it (`_groups`).
    """
    _kernel.prctl(_kernel.PR_SET_NO_NEW_PRIVS, 1)
    _kernel.prctl(_kernel.PR_SET_DUMPABLE, 0)
    _landlock.restrict(writable)
    if _seccomp.supported():
        _seccomp.install(clone3=clone3)


def become_user(identity: Identity, bounds: list[tuple[int, int]]) -> None:
    """Turn a fresh child of the keeper into the box's user, for good, with limits (see `Allowance.bounds`)."""
    for kind, value in bounds:
        resource.setrlimit(kind, (value, value))
    if identity.privileged:
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)  # with no id left that is root's, the kernel takes all capabilities away
    else:
        _kernel.clear_capabilities()
    os.umask(0o022)
