"""A Python project at one commit: built, and what its tests need installed around it."""

import platform
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from honestly.records import Tree
from honestly.taskgen._built import REBUILD, BuiltProject, built_project, is_built_alike, is_compiled, rebuilding
from honestly.taskgen._catalogues import missing_catalogues
from honestly.taskgen._installed import InstalledNeeds, install_needs, with_lines
from honestly.taskgen._needs import needs_of
from honestly.tasks import pythonpath_of
from honestly.verify import OpenBox

_PYTHONS = [f"python3.{minor}" for minor in range(30)]


@dataclass(frozen=True, slots=True)
class PythonProject:
    """A project whose tests are to be run."""

    tree: Tree
    built: BuiltProject
    made: Tree
    """Files that its build adds before the commit: they hold nothing of what the commit does."""
    pythonpath: tuple[str, ...]
    unsafe: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not done as the project says."""
        return (self.built.note,) if self.built.note else ()

    async def install(self, lacking: Collection[str], older: Collection[str] = ()) -> InstalledNeeds:
        """Installs what its tests need, and what brings the modules that they lack; of some, earlier versions.

        Raises:
            TaskError: nothing can be installed.
        """
        needs = with_lines(needs_of(self.tree, self.built, lacking), older)
        if f"{REBUILD}py" in self.made.files:
            needs = with_lines(needs, self.built.build)
        return await install_needs(needs, self.pythonpath, unsafe=self.unsafe)


async def python_project(
    before: Tree, after: Tree, version: str, open_box: OpenBox, *, changed: Sequence[str] = (), unsafe: bool
) -> PythonProject:
    """A project before and after a commit, built.

    Args:
        before: its files before it.
        after: its files after it.
        version: what its build is told where its version comes from git.
        open_box: opens sandboxes.
        changed: source that the commit changes; where it is compiled, tests build it each time.
        unsafe: whether sandboxes are none.

    Raises:
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    start = await built_project(before, version, open_box, unsafe=unsafe)
    end = start if is_built_alike(before, after) else await built_project(after, version, open_box, unsafe=unsafe)
    paths = tuple(dict.fromkeys((*pythonpath_of(after), *end.pythonpath)))
    made = start.made.over(missing_catalogues(before)).without(after.files)
    if is_compiled(changed):
        made = rebuilding(before.over(made), end, version).over(made)
    return PythonProject(after, end, made, paths, unsafe)


def python_lack(wanted: str) -> str:
    """What is said where this Python is not the one that a project asks for."""
    there = [name for name in _PYTHONS if shutil.which(name)]
    here = platform.python_version()
    return f"it asks for Python {wanted}, and honestly runs with {here} (there are {', '.join(there) or 'no others'})"
