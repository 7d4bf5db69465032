"""Landlock: a second wall behind the mounts, for the day on which one of those has a hole.

Everything in the box may be read and executed, only the writable directories be changed, and the devices be written to.
No process can signal, or connect by an abstract socket to, one outside of the box; writing to `/proc` (another
process's memory, say) is refused as well. The kernel offers more with every version of its interface, and what it lacks
is left out; below version 2, which could not move files between directories, nothing is done.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence

from ._kernel import check, libc

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_ALL_OF_2 = (1 << 14) - 1
_TRUNCATE = 1 << 14  # version 3
_SCOPES = 3  # version 6: abstract sockets, signals
OLDEST = 2
"""Oldest version of the interface that is of use."""


def landlock_version() -> int:
    """Version of the kernel's interface; 0 if the kernel lacks it, or it is switched off."""
    return max(0, int(libc.syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)))


def restrict_writes(writable: Sequence[str]) -> None:
    """Put the wall around this process and its descendants; needs no_new_privs.

    Args:
        writable: Directories below which files may be created, changed and removed.

    Raises:
        OSError: The kernel has Landlock, and refuses.
    """
    offered = landlock_version()
    if offered < OLDEST:
        return
    handled = _ALL_OF_2 | (_TRUNCATE if offered >= 3 else 0)
    # An older kernel refuses a longer structure, unless what it does not know is zero.
    attributes = struct.pack("QQQ", handled, 0, _SCOPES)[: 24 if offered >= 6 else 8]
    rules = check(libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0), "landlock_create_ruleset")
    look = _EXECUTE | _READ_FILE | _READ_DIR
    change = handled & ~(_MAKE_CHAR | _MAKE_BLOCK)
    try:
        _allow(rules, "/", look)
        _allow(rules, "/dev", look | _WRITE_FILE | (handled & _TRUNCATE))
        for path in writable:
            _allow(rules, path, change)
        check(libc.syscall(_RESTRICT_SELF, rules, 0), "landlock_restrict_self")
    finally:
        os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        check(libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", rights, fd), 0), "landlock_add_rule")
    finally:
        os.close(fd)
