"""The requirements of a project's tests, installed around the workspace: as its lock says, or else as free as it
allows.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace as replaced

from msgspec.structs import replace

from honestly.errors import TaskError
from honestly.records import Preparation, Task
from honestly.taskgen._needs import Needs
from honestly.tasks import npm_brings, prepare_task

_MOST_MISSING = 6
_CULPRIT = re.compile(
    r"No matching distribution found for ([\w.-]+)|satisfies the requirement \S+ \(from ([\w.-]+)"
    r"|Cannot install .*\(line (\d+)\)"
)
"""What pip cannot have, who asks for it, or the last line of the requirements that contradicts others."""


@dataclass(frozen=True, slots=True)
class InstalledNeeds:
    """The installed packages."""

    needs: Needs
    preparation: Preparation
    """Its dependencies are the versions that were installed, whatever the project leaves open."""
    notes: tuple[str, ...]
    """What could not be installed, or is not looked for, and was left out."""


async def install_packages(needs: Needs, *, unsafe: bool) -> InstalledNeeds:
    """Installs packages for node; refuses those that bring a later version of the project itself.

    Raises:
        TaskError: they cannot be installed, or only with such a version.
    """
    notes = _unfollowed(needs)
    tries = list(dict.fromkeys((needs.pinned, needs.free)))
    for wanted in tries:
        try:
            ready = await _ready_preparation(Preparation(dependencies=wanted), unsafe)
        except TaskError as error:
            if wanted == tries[-1]:
                raise
            notes.append(str(error)[:300])
            continue
        later = {
            name: (version, max(brought))
            for name, version in ((needs.name, needs.version), *needs.siblings)
            if (brought := {*map(_version_parts, npm_brings(ready.installed, name))})
            and max(brought) > _version_parts(version)
        }
        if later:
            own = tuple(f"npm-override:{name}@{version}" for name, (version, _) in later.items())
            notes += [
                f"{name} {'.'.join(map(str, brought))} would hold the fix: {version} in its place"
                for name, (version, brought) in later.items()
            ]
            try:
                ready = await _ready_preparation(Preparation(dependencies=(*wanted, *own)), unsafe)
            except TaskError as error:
                needed = ", ".join(later)
                raise TaskError(f"they need {needed} itself, which would give the fix away ({error})") from error
        pins = tuple(line.partition(" ")[0] for line in ready.installed)
        return InstalledNeeds(needs, replace(ready, dependencies=pins), tuple(notes))
    raise TaskError("nothing of it could be installed")


async def _ready_preparation(declared: Preparation, unsafe: bool) -> Preparation:
    return (await prepare_task(Task(id="x", instruction="", preparation=declared), unsafe=unsafe)).preparation


def _unfollowed(needs: Needs) -> list[str]:
    """What is said of addresses among the requirements."""
    if not needs.addresses:
        return []
    return [
        f"packages are installed from the index alone; addresses are not followed: {', '.join(needs.addresses)}"[:600]
    ]


def _version_parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version.partition("-")[0])[:3]))


async def install_needs(needs: Needs, paths: tuple[str, ...], *, unsafe: bool) -> InstalledNeeds:
    """Installs what the tests of a project need, from wheels, once for each set of requirements.

    The project itself is never among it, whoever requires it: the workspace holds it. What is in no registry, or not as
    a wheel for this Python, or asks for such, is left out and named, and the tests show whether they can do without it.

    Raises:
        TaskError: nothing can be installed.
    """
    loose = tuple(line if line in needs.runtime else _package_of(line) for line in needs.free)
    tries = list(dict.fromkeys((needs.pinned, needs.free, loose, needs.runtime)))
    notes = _unfollowed(needs)
    for wanted in tries:
        for more in ((needs.pytest,), ()):
            try:
                ready, missing = await _ready_without_missing(Preparation(pythonpath=paths), (*wanted, *more), unsafe)
                if needs.name and any(line.partition("==")[0] == needs.name for line in ready.installed):
                    rest = (line.partition(" ")[0] for line in ready.installed)
                    pins = (*(line for line in rest if line.partition("==")[0] != needs.name), f"without:{needs.name}")
                    ready = await _ready_preparation(replace(ready, dependencies=pins, prepared=False), unsafe)
                    notes.append(f"{needs.name}, which others require, is the workspace's own")
                else:
                    pins = tuple(line.partition(" ")[0] for line in ready.installed)
            except TaskError as error:
                failed = error
                continue
            notes += [f"not installed: {each}" for each in missing]
            return InstalledNeeds(needs, replace(ready, dependencies=pins), tuple(notes))
        notes.append(str(failed)[:300])
    raise failed


async def _ready_without_missing(
    declared: Preparation, wanted: tuple[str, ...], unsafe: bool
) -> tuple[Preparation, list[str]]:
    """A preparation with what is wanted, in another version where no registry has that for this Python, or without; and
    what was not had as it was wanted.
    """
    missing: list[str] = []
    for _ in range(_MOST_MISSING):
        try:
            return await _ready_preparation(replace(declared, dependencies=wanted), unsafe), missing
        except TaskError as error:
            found = {each for row in _CULPRIT.findall(str(error)) for each in row if each}
            names = {_package_of(each) for each in found}
            gone = {line for at, line in enumerate(wanted, 1) if _package_of(line) in names or str(at) in found}
            if not gone:
                raise
            missing += sorted(gone)
            others = tuple(line for line in wanted if line not in gone)
            any_version = {_package_of(line) for line in gone if line != _package_of(line)}
            wanted = (*others, *sorted(any_version))
    return await _ready_preparation(replace(declared, dependencies=wanted), unsafe), missing


def older_lines(installed: InstalledNeeds, modules: Collection[str]) -> set[str]:
    """Requirements of an earlier major version of the packages that bring some modules; none of a first version."""
    found = (line.partition(" ")[0].partition("==") for line in installed.preparation.installed)
    majors = {_package_of(name): _version_parts(version)[:1] for name, _, version in found}
    named = {_package_of(each) for each in modules}
    return {f"{name}<{major[0]}" for name, major in majors.items() if name in named and major and major[0] > 1}


def with_lock(needs: Needs) -> Needs:
    """Requirements with all versions of the lock, of what others bring, too."""
    every = (*needs.pinned, *needs.below)
    return replaced(needs, pinned=every, free=every)


def with_lines(needs: Needs, lines: Collection[str]) -> Needs:
    """Requirements with other lines for some packages."""
    names = {_package_of(line) for line in lines}

    def put(old: tuple[str, ...]) -> tuple[str, ...]:
        return (*(line for line in old if _package_of(line) not in names), *sorted(lines))

    return (
        replaced(needs, pinned=put(needs.pinned), free=put(needs.free), runtime=put(needs.runtime)) if lines else needs
    )


def _package_of(line: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s<>=!~\[;,(]", line, maxsplit=1)[0]).lower()
