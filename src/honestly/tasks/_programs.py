"""Tasks in languages whose toolchain may not be on this machine: which programs are missing, and what can be run.

A suite is what it is on every machine, its hash included; so loading leaves nothing out. Whoever is about to run a
suite asks `runnable` first, and says what was left out. A program counts as present where a sandbox would find it: in
the usual folders, with its file below /usr, which is what a sandbox shows of the machine.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from honestly.records import Suite, Task

_FOLDERS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where commands are looked for inside a sandbox."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A task that cannot be run here."""

    task: str
    missing: tuple[str, ...]
    """Names of the programs that it needs and this machine lacks."""

    def __str__(self) -> str:
        return f"{self.task} (needs {', '.join(self.missing)})"


def missing_programs(task: Task) -> tuple[str, ...]:
    """Names of the programs that a task needs and a sandbox on this machine would lack."""
    return (*(name for name in task.requires if not _present(name)), *_beyond_the_machine(task))


def _beyond_the_machine(task: Task) -> Iterator[str]:
    """What a task's environment asks of the machine, and this one does not have."""
    environment = task.environment
    if environment is None:
        return
    here = os.cpu_count() or 1
    if environment.cpus and environment.cpus > here:
        yield f"{environment.cpus:g} processors, where this machine has {here}"
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    if environment.memory_mb and environment.memory_mb > memory:
        yield f"{environment.memory_mb} MiB of memory, where this machine has {memory}"
    free = shutil.disk_usage(Path.home()).free >> 20
    if environment.storage_mb and environment.storage_mb > free:
        yield f"{environment.storage_mb} MiB of disk, where {free} are free"


def runnable(suite: Suite) -> tuple[Suite, tuple[LeftOut, ...]]:
    """Split a suite into what this machine can run and the tasks that are left out, with what they lack."""
    left_out = tuple(LeftOut(task.id, missing) for task in suite.tasks if (missing := missing_programs(task)))
    gone = {entry.task for entry in left_out}
    kept = suite if not gone else replace(suite, tasks=tuple(task for task in suite.tasks if task.id not in gone))
    return kept, left_out


def _present(program: str) -> bool:
    found = shutil.which(program, path=_FOLDERS)
    return found is not None and Path(found).resolve().is_relative_to("/usr")
