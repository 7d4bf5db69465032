"""Linux system calls that Python has no function for, each raising OSError with the call's name.

Nothing here decides anything. Numbers and constants are from the kernel's headers (include/uapi/linux); calls without a
C library wrapper have the same number on every architecture that appeared after 2019 (open_tree and later).
"""

from __future__ import annotations

import ctypes
import os
import signal
from functools import cache

CLONE_NEWTIME = 0x00000080
CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 32, 4096, 8192, 16384, 1 << 18
MNT_DETACH = 2

_PIVOT_ROOT = 155 if os.uname().machine == "x86_64" else 41  # the number of every architecture since
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_AT_FDCWD = -100
_AT_EMPTY_PATH, _AT_RECURSIVE = 0x1000, 0x8000
_OPEN_TREE_CLONE = 1
_MOVE_MOUNT_F_EMPTY_PATH = 4
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV, _ATTR_IDMAP = 1, 2, 4, 1 << 20

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
_PR_CAPBSET_READ, _PR_CAPBSET_DROP = 23, 24
_PR_GET_TID_ADDRESS = 40

_CLONE3 = 435
_CLONE_CHILD_CLEARTID, _CLONE_CHILD_SETTID, _CLONE_INTO_CGROUP = 0x00200000, 0x01000000, 0x200000000
_CLONE_PIDFD = 0x00001000
_CLONE = 56 if os.uname().machine == "x86_64" else 220
CELL_FLAGS = CLONE_NEWPID | _CLONE_PIDFD | _CLONE_CHILD_SETTID | _CLONE_CHILD_CLEARTID | signal.SIGCHLD
"""Flags of the call that forks a cell."""
_P_PIDFD, _WEXITED = 3, 4

_CAPABILITY_VERSION_3 = 0x20080522

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
_prctl = libc["prctl"]
_prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_locked = ctypes.PyDLL(None, use_errno=True)  # calls keep the interpreter's lock, as os.fork does
_locked.syscall.restype = ctypes.c_long
_unheard = _locked["syscall"]
_unheard.restype = None
# Looked up here: what only a child looks up, each child would look up anew.
_before_fork, _after_fork_child, _after_fork_parent = (
    ctypes.pythonapi[f"PyOS_{name}"] for name in ("BeforeFork", "AfterFork_Child", "AfterFork_Parent")
)


def check(result: int, call: str) -> int:
    """Return what a call returned.

    Raises:
        OSError: It returned -1; `filename` holds the call.
    """
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), call)
    return result


def unshare_namespaces(flags: int, name: str) -> None:
    """Leave the namespaces of `flags` for new ones; `name` says which, for the error."""
    check(libc.unshare(flags), f"unshare({name})")


def mount_filesystem(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    """Mount a file system of a kind."""
    result = libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode() or None
    )
    check(result, f"mount({kind or source} on {target})")


def bind(source: str, target: str) -> None:
    """Show the directory or file `source`, with everything mounted below it, at `target` too."""
    result = libc.mount(os.fsencode(source), os.fsencode(target), None, ctypes.c_ulong(MS_BIND | MS_REC), None)
    check(result, f"mount(bind {source})")


def bind_as(source: str, target: str, namespace: int) -> None:
    """Show the directory `source` at `target`, its files owned as a user namespace (taken over) maps their owners."""
    tree = check(libc.syscall(_OPEN_TREE, _AT_FDCWD, os.fsencode(source), _OPEN_TREE_CLONE | os.O_CLOEXEC), "open_tree")
    attributes = (ctypes.c_uint64 * 4)(_ATTR_IDMAP, 0, 0, namespace)
    try:
        result = libc.syscall(_MOUNT_SETATTR, tree, b"", _AT_EMPTY_PATH, attributes, ctypes.sizeof(attributes))
        check(result, f"mount_setattr(idmap {source})")
        result = libc.syscall(_MOVE_MOUNT, tree, b"", _AT_FDCWD, os.fsencode(target), _MOVE_MOUNT_F_EMPTY_PATH)
        check(result, "move_mount")
    finally:
        os.close(tree)
        os.close(namespace)


def make_read_only(path: str, *, devices: bool = False) -> None:
    """Forbid writing, set-uid and (unless `devices`) device nodes below a mount point, recursively."""
    attributes = (ctypes.c_uint64 * 4)(_ATTR_RDONLY | _ATTR_NOSUID | (0 if devices else _ATTR_NODEV), 0, 0, 0)
    result = libc.syscall(
        _MOUNT_SETATTR, _AT_FDCWD, os.fsencode(path), _AT_RECURSIVE, attributes, ctypes.sizeof(attributes)
    )
    check(result, f"mount_setattr({path})")


def move(source: str, target: str) -> None:
    """Move a mount, with everything mounted below it."""
    result = libc.mount(os.fsencode(source), os.fsencode(target), None, ctypes.c_ulong(MS_MOVE), None)
    check(result, f"mount(move {source})")


def detach_mount(path: str) -> None:
    """Unmount a tree, even if busy."""
    check(libc.umount2(os.fsencode(path), MNT_DETACH), f"umount2({path})")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root directory, and show the old one at `old`."""
    check(libc.syscall(_PIVOT_ROOT, new.encode(), old.encode()), "pivot_root")


def set_process_option(option: int, value: int) -> int:
    """Change a property of this process."""
    result: int = _prctl(option, value, 0, 0, 0)
    return result if result >= 0 else check(result, f"prctl({option})")


def fork_into(group: int) -> int:
    """`os.fork`, except that the child is a member of a control group (version 2, an open directory) from the start.

    Joining it later would have to wait until the kernel has seen every processor in turn: some 10 ms.
    """
    _before_fork()
    pid = int(_locked.syscall(*_clone_call(_CLONE_INTO_CGROUP | _CLONE_CHILD_SETTID | _CLONE_CHILD_CLEARTID, group, 0)))
    number = ctypes.get_errno()
    if pid == 0:
        _after_fork_child()
        return 0
    _after_fork_parent()
    if pid == -1:
        raise OSError(number, os.strerror(number), "clone3")
    return pid


def fork_cell(group: int = -1) -> int:
    """Fork the first process of a new pid namespace, a member of a group as above if there is one.

    Its number, which a counter of the whole machine gives, enters no memory: the next cell will have a copy of that.

    Returns:
        0 in the child; to the parent, a descriptor of the child.
    """
    child, call = _cell_call(group)
    child.value = -1
    _before_fork()
    ctypes.set_errno(0)
    _unheard(*call)
    error = ctypes.get_errno()
    if child.value < 0 and not error:  # the kernel tells the parent alone
        _after_fork_child()
        return 0
    _after_fork_parent()
    if error:
        raise OSError(error, os.strerror(error), "clone")
    return child.value


@cache
def _cell_call(group: int) -> tuple[ctypes.c_int, tuple[object, ...]]:
    """Where the kernel writes a cell's descriptor, and the call; made once, since each fork copies pages anew."""
    child = ctypes.c_int()
    if group >= 0:
        return child, _clone_call(CELL_FLAGS - signal.SIGCHLD | _CLONE_INTO_CGROUP, group, ctypes.addressof(child))
    number = ctypes.c_void_p(_thread_number())
    last = (number, None) if _CLONE == 56 else (None, number)  # the order of arguments differs
    return child, (_CLONE, ctypes.c_ulong(CELL_FLAGS), None, ctypes.byref(child), *last)


def _clone_call(flags: int, group: int, descriptor: int) -> tuple[object, ...]:
    arguments = (ctypes.c_uint64 * 11)(flags, descriptor, _thread_number(), 0, signal.SIGCHLD, 0, 0, 0, 0, 0, group)
    return _CLONE3, arguments, ctypes.c_size_t(ctypes.sizeof(arguments))


@cache
def _thread_number() -> int:
    """Where the C library keeps the main thread's number, which a child must find to be its own; 0 if not known."""
    address = ctypes.c_uint64()
    libc.prctl(_PR_GET_TID_ADDRESS, ctypes.byref(address))
    return address.value


def wait(child: int) -> None:
    """Wait for the end of the child behind a descriptor, without taking in what it says at its end, or its number."""
    check(libc.waitid(_P_PIDFD, child, None, _WEXITED), "waitid")


def clear_capabilities() -> None:
    """Give up every capability of this process, for good."""
    _set_capabilities(0)


def keep_capabilities(mask: int) -> None:
    """Give up every capability but those of a mask, also for what this process executes as root."""
    number = 0
    # Up to the last that this kernel knows.
    while _prctl(_PR_CAPBSET_READ, number, 0, 0, 0) >= 0:
        if not mask >> number & 1:
            set_process_option(_PR_CAPBSET_DROP, number)
        number += 1
    _set_capabilities(mask)


def _set_capabilities(mask: int) -> None:
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    check(libc.capset(header, (ctypes.c_uint32 * 6)(mask, mask)), "capset")
