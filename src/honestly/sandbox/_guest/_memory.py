"""The memory of a box's processes, watched where no control group limits it.

The limit of one process is the kernel's (RLIMIT_DATA). The sum over all processes is sampled: so often that
even memory filled at full speed between two samples would hardly exceed the limit, so seldom that a quiet box costs
nothing. The cheap sum counts shared pages once per process; only when it is too high, the exact one is taken.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ._cpu_time import file_contents

_PAGE = os.sysconf("SC_PAGE_SIZE")
_FILL_RATE = 4 << 30
_SHORTEST_S, _LONGEST_S = 0.02, 0.5


def resident_bytes() -> int | None:
    """Bytes in memory of all processes, shared pages counted for each; None if there are no processes."""
    total = None
    for name in process_numbers():
        with suppress(OSError, IndexError):
            total = (total or 0) + int(file_contents(None, f"/proc/{name}/statm").split()[1]) * _PAGE
    return total


def pause(limit: int, used: int) -> float:
    """Seconds until the next sample."""
    return min(max((limit - used) / _FILL_RATE, _SHORTEST_S), _LONGEST_S)


def stirring_processes() -> tuple[bool, int, int]:
    """Whether anything runs, or could at once, though all were stopped; how much was done so far; how many threads.

    On a busy machine, who is to stop may wait long for its turn to do so. But it does nothing before: it gives up the
    processor once, and its time in user mode grows no more.
    """
    awake, done, threads = False, 0, 0
    for name in process_numbers():
        with suppress(OSError, IndexError, ValueError):
            for task in os.listdir(f"/proc/{name}/task"):
                # The name in brackets may hold anything, brackets too.
                fields = file_contents(None, f"/proc/{name}/task/{task}/stat").rpartition(b")")[2].split()
                awake = awake or fields[0] not in {b"T", b"t", b"Z", b"X", b"D"}
                status = file_contents(None, f"/proc/{name}/task/{task}/status")
                threads += 1
                done += int(fields[11]) + int(status.partition(b"\nvoluntary_ctxt_switches:")[2].split()[0])
    return awake, done, threads


def heaviest_tag(limit: int) -> bytes:
    """The tag of the command whose processes hold the most memory; empty if all together are within the limit."""
    by_tag: dict[bytes, int] = {}
    for name in process_numbers():
        with suppress(OSError, ValueError):
            tag = os.readlink(f"/proc/{name}/ns/uts".encode())
            fields = file_contents(None, f"/proc/{name}/smaps_rollup").split()
            by_tag[tag] = by_tag.get(tag, 0) + (int(fields[fields.index(b"Pss:") + 1]) << 10)
    if sum(by_tag.values()) <= limit:
        return b""
    return max(by_tag, key=lambda tag: by_tag[tag])


def process_numbers(folder: str | int = "/proc") -> list[str]:
    """The processes in a box, its init left out."""
    return [name for name in os.listdir(folder) if name.isdigit() and name != "1"]
