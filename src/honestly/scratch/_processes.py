"""Processes that carry a mark in their environment: found by /proc, killed by descriptor, so that no number misleads.

A process that shed the variable is not found. Where there is no /proc, none is.
"""

import os
import signal
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from pathlib import Path

OWNER_VARIABLE = "HONESTLY_OWNER"
"""Names the program to which a process belongs, by its mark."""

_PROC = Path("/proc")
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def marked(marks: Collection[str]) -> list[int]:
    """Numbers of the processes that carry one of the marks, this one left out."""
    wanted = [f"{OWNER_VARIABLE}={mark}".encode() for mark in marks]
    pids = [int(path.name) for path in _PROC.glob("[0-9]*")] if wanted else []
    return [pid for pid in pids if pid != os.getpid() and _carries(pid, wanted)]


def kill_marked(marks: Collection[str]) -> int:
    """Kill every process that carries one of the marks; how many there were."""
    killed = 0
    wanted = [f"{OWNER_VARIABLE}={mark}".encode() for mark in marks]
    for pid in marked(marks):
        with suppress(OSError):
            fd = os.pidfd_open(pid)
            try:
                # Looked at again: the number may have come to somebody else, to whom this descriptor does not lead.
                if _carries(pid, wanted):
                    signal.pidfd_send_signal(fd, signal.SIGKILL)
                    killed += 1
            finally:
                os.close(fd)
    return killed


def _carries(pid: int, wanted: Collection[bytes]) -> bool:
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or is somebody else's
        return False
    return any(entry in environment for entry in wanted)


def started(pid: int | str = "self") -> str:
    """When a living process began, in ticks since the machine did; empty where it is dead, or nobody knows."""
    try:
        # The program's name, in parentheses, may hold anything.
        state, *fields = (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
        return "" if state in "ZXx" else fields[18]
    except (OSError, IndexError):
        return ""


@cache
def boot() -> str:
    """What tells this start of the machine from all others; empty where nobody knows."""
    try:
        return _BOOT.read_text("ascii").strip()
    except OSError:
        return ""
