"""Taking rights away: capabilities, resource limits.

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
from ._ids import USER, Identity

# CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, NET_BIND_SERVICE
_OF_ROOT_ALONE = (1 << 0) | (1 << 1) | (1 << 3) | (1 << 4) | (1 << 5) | (1 << 10)
_OF_ROOT = _OF_ROOT_ALONE | (1 << 6) | (1 << 7)  # SETGID, SETUID


class Allowance:
    """Resource limits of one process, in the units of setrlimit, no higher than those that hold here already."""

    def __init__(self, cpu_s: int, memory: int, processes: int, file: int, open_files: int, data: int) -> None:
        self.memory = memory
        self.processes = processes
        self._limits = [
            (resource.RLIMIT_CPU, cpu_s),
            (resource.RLIMIT_DATA, data),
            (resource.RLIMIT_FSIZE, file),
            (resource.RLIMIT_NOFILE, open_files),
            (resource.RLIMIT_CORE, 1),  # not 0, with which a crash would still start the machine's crash handler
            (resource.RLIMIT_MEMLOCK, 1 << 16),
        ]

    def limit_pairs(self, identity: Identity) -> list[tuple[int, int]]:
        """The limits to set, kind by kind, for a process of the box's user."""
        # Keeper and init count where they have the same id as the user.
        own = (1 if identity.first else 0) if identity.privileged else 2
        found = []
        for kind, value in [*self._limits, (resource.RLIMIT_NPROC, self.processes + own)]:
            hard = resource.getrlimit(kind)[1]
            found.append((kind, value if hard == resource.RLIM_INFINITY else min(value, hard)))
        return found


def seal(writable: Sequence[str], *, clone3: bool, extent: str) -> int:
    """Make this process and all that it starts unable to gain rights, and itself invisible to debuggers.

    Returns:
        Where waits for shared memory arrive; see `_seccomp.install`.

    Args:
        writable: Directories below which files may be changed.
        clone3: Keep that call for this process, which must see to it that no other has it (`_groups`).
        extent: What the box is for; see `_seccomp.install`.
    """
    _kernel.set_process_option(_kernel.PR_SET_NO_NEW_PRIVS, 1)
    _kernel.set_process_option(_kernel.PR_SET_DUMPABLE, 0)
    _landlock.restrict_writes(writable)
    return _seccomp.install(clone3=clone3, extent=extent) if _seccomp.is_supported() else -1


def become_user(identity: Identity, bounds: list[tuple[int, int]]) -> None:
    """Turn a fresh child of the keeper into the box's user, for good, with limits (see `Allowance.limit_pairs`)."""
    for kind, value in bounds:
        resource.setrlimit(kind, (value, value))
    if identity.ids != (USER, USER):
        # Somebody of an image's: root with no more than its rights over files, processes and ids of the box.
        _kernel.keep_capabilities(_OF_ROOT if identity.first else _OF_ROOT_ALONE)
        uid, gid, *groups = identity.ids
        if identity.first:
            os.setgroups(groups)
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
        if uid:
            _kernel.clear_capabilities()
    elif identity.privileged:
        os.setresgid(USER, USER, USER)  # first, since it takes the rights that the next line gives up
        os.setresuid(USER, USER, USER)  # with no id left that is root's, the kernel takes all capabilities away
    else:
        _kernel.clear_capabilities()
    os.umask(0o022)
