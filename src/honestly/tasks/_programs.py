"""The needs of tasks and their checks that may not be on this machine: which of it is missing, and what can be run.

A suite is what it is on every machine, its hash included; so loading leaves nothing out. Whoever is about to run a
suite asks `runnable_tasks` first, and says what was left out. A program counts as present where a sandbox would find
it: in the usual folders, with its file below /usr, which is what a sandbox shows of the machine.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from msgspec.structs import replace

from honestly.errors import SandboxError
from honestly.records import Environment, Suite, Task

_FOLDERS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where commands are looked for inside a sandbox."""

NO_SHELL = "it has no shell (`sh`), by which solutions and checks are run"
_LEAST_SHELL = 4096
"""Bytes of a file, of which no shell has fewer."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A task that cannot be run here."""

    task: str
    missing: tuple[str, ...]
    """Names of the programs and packages that it needs and this machine lacks."""

    def __str__(self) -> str:
        return f"{self.task} (needs {', '.join(self.missing)})"


def missing_programs(task: Task) -> tuple[str, ...]:
    """The programs that a task needs and this machine lacks.

    Programs that it requires, as a sandbox would find them; pytest beside this program, where checks are its files;
    what its environment asks of the machine; and the images that this begins with.
    """
    programs = (name for name in task.requires if not _present(name))
    packages = (name for name in _runners(task) if find_spec(name) is None)
    return (*programs, *packages, *_beyond_the_machine(task), *_missing_images(task))


def _runners(task: Task) -> tuple[str, ...]:
    """Packages beside this program that run the task's checks."""
    every = (task.visible, task.hidden.checks if task.hidden else None)
    return ("pytest",) if any(checks is not None and checks.runner == "pytest" for checks in every) else ()


def _beyond_the_machine(task: Task) -> Iterator[str]:
    """The demands of a task, or of its environment, that this machine does not meet."""
    environment, memory = task.environment, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    wanted = max(task.preparation.memory_mb or 0, (environment and environment.memory_mb) or 0)
    if wanted > memory:
        yield f"{wanted} MiB of memory, where this machine has {memory}"
    if environment is None:
        return
    here = os.cpu_count() or 1
    if environment.cpus and environment.cpus > here:
        yield f"{environment.cpus:g} processors, where this machine has {here}"
    # A limit, of which tasks rarely need a part: a disk that becomes full is noticed where it happens.
    disk = shutil.disk_usage(Path.home()).total >> 20
    if environment.storage_mb and environment.storage_mb > disk:
        yield f"{environment.storage_mb} MiB of disk, where this machine has {disk}"


def environments_of(task: Task) -> tuple[tuple[str, Environment], ...]:
    """A task's environment and those of its services, each with what it is called after "building"."""
    if task.environment is None:
        return ()
    services = task.environment.services
    return ("its image", task.environment), *((f"its service {each.names[0]}", each.environment) for each in services)


def _missing_images(task: Task) -> Iterator[str]:
    """Images that a task's environments are, or are built from, and the store does not hold."""
    from honestly.sandbox.images import find_image, has_shell, images_wanted, stands_on_nothing

    for what, environment in environments_of(task):
        own = environment is task.environment
        try:
            if (image := find_image(environment.image_name)) is not None:
                if own and not has_shell(image):
                    yield f"{what}: {NO_SHELL}"
                continue
            dockerfile = environment.context.files.get("Dockerfile")
            text = dockerfile.data.decode("utf-8", "replace") if dockerfile is not None else ""
            for name in [environment.image] if environment.image else images_wanted(text):
                if find_image(name) is None:
                    yield (
                        f"the image {name}, which is not in the store: `docker save {name} -o base.tar` where there is "
                        f"an engine, then `honestly image add base.tar --name {name}`"
                    )
            largest = max((len(file.data) for file in environment.context.files.values()), default=0)
            if own and not environment.image and largest < _LEAST_SHELL and stands_on_nothing(text):
                yield f"{what}: it begins with scratch, and {NO_SHELL}"
        except SandboxError as error:
            yield f"{what}: {error}"


def runnable_tasks(suite: Suite) -> tuple[Suite, tuple[LeftOut, ...]]:
    """Splits a suite into tasks that this machine can run, and those left out, with what they lack."""
    left_out = tuple(LeftOut(task.id, missing) for task in suite.tasks if (missing := missing_programs(task)))
    gone = {entry.task for entry in left_out}
    kept = suite if not gone else replace(suite, tasks=tuple(task for task in suite.tasks if task.id not in gone))
    return kept, left_out


def _present(program: str) -> bool:
    found = shutil.which(program, path=_FOLDERS)
    return found is not None and Path(found).resolve().is_relative_to("/usr")
