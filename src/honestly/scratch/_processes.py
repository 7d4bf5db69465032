"""Processes that carry a mark in their environment: found by /proc, killed by descriptor, so that no number misleads.

A process that shed the variable is not found. Where there is no /proc, none is.
"""

import os
import signal
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cache
from pathlib import Path

OWNER_VARIABLE = "HONESTLY_OWNER"
"""Names the program to which a process belongs, by its mark."""

_PROC = Path("/proc")
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def marked_processes(marks: Collection[str]) -> list[int]:
    """Numbers of the processes that carry one of the marks, this one left out."""
    pids = [int(path.name) for path in _PROC.glob("[0-9]*")] if marks else []
    return [pid for pid in pids if pid != os.getpid() and _carries_mark(pid, marks)]


def kill_marked(marks: Collection[str]) -> int:
    """Kill every process that carries one of the marks, and what is below it; how many there were.

    What is below may hide its environment: a sandbox's keeper does from an ordinary user.
    """
    found: dict[int, int] = {}
    for pid in marked_processes(marks):
        # Looked at again: the number may have come to somebody else, to whom the descriptor does not lead.
        _hold_processes(pid, lambda pid: _carries_mark(pid, marks), found)
    for fd in found.values():
        with suppress(OSError):
            signal.pidfd_send_signal(fd, signal.SIGKILL)
        os.close(fd)
    return len(found)


def _hold_processes(pid: int, is_it: Callable[[int], bool], found: dict[int, int]) -> None:
    """Get hold of a process, and of all below it."""
    if pid in found or pid == os.getpid():
        return
    with suppress(OSError):
        fd = os.pidfd_open(pid)
        if not is_it(pid):
            os.close(fd)
            return
        found[pid] = fd
        for task in (_PROC / str(pid) / "task").iterdir():
            for child in (task / "children").read_text("ascii").split():
                _hold_processes(int(child), lambda each: _parent(each) == pid, found)


def _carries_mark(pid: int, marks: Collection[str]) -> bool:
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or is somebody else's
        return False
    return any(f"{OWNER_VARIABLE}={mark}".encode() in environment for mark in marks)


def _parent(pid: int) -> int:
    fields = _stat_fields(pid)
    return int(fields[1]) if fields else 0


def start_ticks(pid: int | str = "self") -> str:
    """When a living process began, in ticks since the machine did; empty where it is dead, or nobody knows."""
    fields = _stat_fields(pid)
    return "" if not fields or fields[0] in "ZXx" else fields[19]


def _stat_fields(pid: int | str) -> list[str]:
    """The kernel's fields of a process, from its state on; nothing where it is gone."""
    try:
        # The program's name, in parentheses, may hold anything.
        return (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
    except OSError:
        return []


@cache
def boot_id() -> str:
    """The machine's boot id; empty if unknown."""
    try:
        return _BOOT.read_text("ascii").strip()
    except OSError:
        return ""
