"""The time that processes got, and whether a limit in seconds is up: the one place that decides it.

A limit means seconds of a machine that does nothing else. Time in which the work slept, or waited for itself, is its
own and counts. Time in which it was ready to run while others did is given back (`further_seconds`), though never so
much that it has more processor time than all processors together could have given it: work that crowds itself out gains
at most its limit again for each processor. What could not be read is None, never 0; then the limit is stretched by
what is known of the machine (`crowding`).

Source of the figures: `schedstat` of each thread (run time, and time ready but not run) and `stat` of each process, in
the kernel's Documentation/scheduler/sched-stats.rst and filesystems/proc.rst; every user may read both. What threads
and processes that have ended waited is not kept: it is taken to be to their run time as it is for those that live.
Not covered: the run time of processes that ended and that nobody waited for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

MOST = 30.0
"""How many times what it was due work may take by the clock; whoever was not done then was starved: no result."""
_PATIENCE = 4.0
_CROWDED = 2.0
_NEAR = 0.02
"""Of a limit: what is missing below that is not worth another look."""
_PAUSE_S = 1.0
"""A limit that is noticed later than that passed while nobody ran: the machine had stopped. Then it begins anew."""
_TICKS = os.sysconf("SC_CLK_TCK")


class CpuTime(NamedTuple):
    """Seconds that processes got and lacked, all together."""

    cpu: float
    """That they ran."""
    waited: float
    """That they were ready to run while others did."""


def cpu_used(processes: int, numbers: Iterable[str]) -> CpuTime | None:
    """The processor time that processes, and what they waited for, got and lacked; None where that cannot be read of
    any of them.

    Args:
        processes: A directory of processes, as `/proc` is one, open.
        numbers: Names of the processes in it; those that have ended meanwhile are left out.
    """
    cpu = ran = waited = 0.0
    seen = False
    for number in numbers:
        try:
            threads = _thread_times(processes, number)
            fields = file_contents(processes, f"{number}/stat").rpartition(b")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        except OSError:
            return None
        if not threads:
            return None
        seen = True
        ran += sum(thread[0] for thread in threads)
        waited += sum(thread[1] for thread in threads)
        cpu += max(sum(map(int, fields[11:15])) / _TICKS, sum(thread[0] for thread in threads))
    if not seen:
        return None
    # `stat` counts in ticks and threads in nanoseconds: only what is more than their rounding had an end.
    ended = cpu - ran
    if ended > 2 / _TICKS and ran > 0:
        waited += ended * waited / ran
    return CpuTime(cpu, waited)


def _thread_times(processes: int, number: str) -> list[tuple[float, float]]:
    """Seconds that each living thread of a process ran and waited; none where the kernel does not say."""
    found = []
    folder = os.open(f"{number}/task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=processes)
    try:
        for name in os.listdir(folder):
            try:
                fields = file_contents(folder, f"{name}/schedstat").split()
            except (FileNotFoundError, ProcessLookupError):
                if name == number:
                    return []
                continue
            found.append((int(fields[0]) / 1e9, int(fields[1]) / 1e9))
    finally:
        os.close(folder)
    return found


def file_contents(folder: int | None, path: str) -> bytes:
    """The beginning of a small file in an open directory, or by its absolute path."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        return os.read(fd, 1 << 12)
    finally:
        os.close(fd)


def further_seconds(limit: float, elapsed: float, over: float, got: CpuTime | None, late: float) -> float:
    """Seconds that work may go on, whose limit and what was given to it before have passed; 0 if its time is up.

    Args:
        limit: Seconds that it may take, or the part of it whose limit has passed.
        elapsed: Seconds since it began, without those for which it was paused.
        over: How many of them it was beyond its limit: what earlier calls returned, and how late each call came.
        got: What it got since it began.
        late: Seconds from the passing of its limit to this call; `over` holds them, too.
    """
    cores = _cores()
    if got is None:
        missing = (elapsed - over) * (min(_PATIENCE * crowding(), MOST) - 1) - over
    else:
        missing = max(got.waited - over, limit if late > _PAUSE_S else 0.0)
        missing = min(missing, cores * (elapsed - over) - got.cpu)
    return missing if missing > _NEAR * limit else 0.0


def is_starved(elapsed: float, over: float) -> bool:
    """Whether work to which more is due was given so much that this machine will not let it come to its end."""
    return elapsed > MOST * (elapsed - over)


def crowding() -> float:
    """How many processes want each processor, over the last minute: from 1 to `MOST`; 1 where nobody can say."""
    try:
        load = os.getloadavg()[0]
    except OSError:
        load = 0.0
    return min(max(1.0, load / _cores()), MOST)


def is_crowded() -> bool:
    """Whether so many processes want each processor that work that is right may be too slow, whatever is measured."""
    return crowding() > _CROWDED


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
