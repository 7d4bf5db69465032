"""Looking at the processes behind sandboxes: whose they are, and whether they have ended."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """All processes below one, nearest first."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in (task / "children").read_text().split():
                found += [int(child), *descendants(int(child))]
    return found


def command_line(pid: int) -> bytes:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def zygotes() -> list[int]:
    """The one helper process that may outlive a test: it ends with this program."""
    return [pid for pid in descendants(os.getpid()) if b"_zygote" in command_line(pid)][:1]


def ended(pid: int, within_s: float) -> bool:
    """Wait for the end of a process; a keeper says goodbye just before it ends."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], within_s)[0])
    finally:
        os.close(fd)
