"""How much to do at once where nobody says it: by cores and memory, and by whether agents work or wait."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from honestly.records import Agent, Task
from honestly.sandbox import Limits

_WAITING = 4
"""Trials for each core where all agents wait for the answers of models most of the time."""

_MEMINFO = Path("/proc/meminfo")


def default_jobs() -> int:
    """How many jobs run at once on this machine: a little more than its cores."""
    return (os.cpu_count() or 1) + 1


def trials_at_once(agents: Iterable[Agent], meminfo: Path = _MEMINFO, tasks: Iterable[Task] = ()) -> int:
    """Trials at a time on this machine.

    As many as `default_jobs`; where every agent asks a model, four for each core, since an answer takes seconds in
    which a trial needs no core. Fewer where memory does not suffice for as many sandboxes, as large as they may become.

    Args:
        agents: whose trials.
        meminfo: says how much memory is available, as Linux does.
        tasks: those that they work on, which may need more memory than is usual.
    """
    agents = tuple(agents)
    waiting = bool(agents) and all(agent.model for agent in agents)
    most = _WAITING * (os.cpu_count() or 1) if waiting else default_jobs()
    free, wanted = _free_mb(meminfo), max([Limits().memory_mb, *(task.preparation.memory_mb or 0 for task in tasks)])
    return most if free is None else max(1, min(most, free // wanted))


def _free_mb(meminfo: Path) -> int | None:
    """MiB of memory that programs could have now; None where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        lines = dict(line.split(":", 1) for line in meminfo.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) >> 10 if "MemAvailable" in lines else None
    return None
