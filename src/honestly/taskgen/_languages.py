"""Tests in other languages than Python: what each language has to say, and the checks that come of it.

Such checks are a script, which runs the tests and leaves a reward for each (`_guest/run_tests.py`): a test is a check
of its own, named by its file or folder. Visible checks are the plain command that people type, and its exit status.
A language is a small class beside this one. Covered are projects whose root holds what the language asks for.
"""

import json
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from posixpath import normpath
from typing import Protocol

from honestly.records import Checks, File, Tree
from honestly.taskgen._c import C
from honestly.taskgen._go import Go
from honestly.taskgen._javascript import JavaScript
from honestly.taskgen._needs import Needs
from honestly.taskgen._split import is_a_test
from honestly.tasks import text_in

_MOST_FILES = 60
_TEST_SH = b"#!/bin/bash\ncd /app\npython3 -I -B /tests/run_tests.py /logs/verifier/reward.json\n"
_FOREIGN = ("node_modules",)
"""Folders that would come before what is shown, and that no work needs."""
_FOLDERS = "/usr/local/bin:/usr/bin:/bin"
LOADED = re.compile(r"['\"](\.\.?/[^'\"\n]*)['\"]")
"""What a file loads from beside it, as JavaScript does."""


class Language(Protocol):
    """The properties of a language."""

    program: str
    """What runs its tests, as sandboxes find it."""
    package: str
    """Debian's name of what brings the program."""
    says_version: str
    """What the program is asked for its version."""

    def refused(self, tree: Tree) -> str:
        """Why tests of such a project cannot be run; empty if they can."""

    def others(self, tree: Tree) -> Sequence["Language"]:
        """Other ways to run a project's tests, for where this one finds none that passes."""

    def needs(self, tree: Tree) -> Needs:
        """The packages that its tests need."""

    def beside(self, tree: Tree, name: str) -> Tree:
        """Files that the workspace needs and the project does not hold.

        Raises:
            TaskError: they cannot be had.
        """

    def runs(self, path: str) -> bool:
        """Whether a file holds tests."""

    def sets_tests(self, path: str) -> bool:
        """Whether a file that is no test says how tests are run."""

    def tests(self, text: str) -> Mapping[str, str]:
        """The tests of a file by the names by which they can be chosen, each with its text; empty if none can."""

    def run_orders(self, tree: Tree, paths: Sequence[str], only: Sequence[str] = ()) -> dict[str, object]:
        """The orders by which `run_tests.py` runs tests of some files, all or only some: `kind`, `argv`, `paths`."""

    def command(self, tree: Tree, paths: Sequence[str], only: Sequence[str] = ()) -> tuple[str, ...]:
        """The command that people would type to run them."""

    def opposite(self, test: bytes) -> bytes:
        """A test file that asserts the opposite, as far as it is understood, and compiles as before."""


_LANGUAGES: dict[str, Language] = {"javascript": JavaScript(), "go": Go(), "c": C()}


def language_named(name: str) -> Language | None:
    """A language by its name; None for Python, whose tests are pytest's."""
    return _LANGUAGES.get(name)


def missing_reason(which: Language) -> str:
    """Why tests cannot be run on this machine; empty if they can."""
    why = f"{which.program} is not on this machine, where sandboxes find it; on Debian: apt-get install {which.package}"
    return "" if shutil.which(which.program, path=_FOLDERS) else why


Chosen = Mapping[str, Sequence[str]]
"""Tests by their files."""


def hidden_checks(
    which: Language,
    after: Tree,
    touched: Collection[str],
    timeout_s: float,
    most: int | None = _MOST_FILES,
    *,
    chosen: Chosen | None = None,
) -> Checks:
    """All tests of the files that a commit touches, or all tests where it only touches what those use; or a choice."""
    wanted = list(chosen or ()) or wanted_files(which, after, touched)
    own = {path for path in after.files if is_a_test(path) or which.sets_tests(path)}
    given = {f"files/{path}": file for path, file in after.only(own).files.items() if file.mode != "link"}
    guest = files("honestly.taskgen._guest").joinpath("run_tests.py").read_bytes()
    held = [path for path, file in after.files.items() if file.mode != "link"]
    without = [name for name in _FOREIGN if not any(path.startswith(f"{name}/") for path in held)]
    orders = which.run_orders(after, wanted[:most], _names(chosen))
    program = {"test.sh": File(data=_TEST_SH, mode="exec"), "run_tests.py": File(data=guest)}
    said = json.dumps({**orders, "without": without}, indent=1).encode()
    return Checks(
        runner="script", files=Tree(files={**given, **program, "orders.json": File(data=said)}), expected=(),
        timeout_s=timeout_s,
    )  # fmt: skip


def wanted_files(which: Language, after: Tree, touched: Collection[str]) -> list[str]:
    """The files of tests that a commit touches, and those that load what else it touches; all, if it touches none."""
    own = [path for path in touched if path in after.files and which.runs(path)]
    changed, tests = (
        set(map(bare_path, touched)),
        [path for path in test_paths(which, after) if own and path not in own],
    )
    loaded = {path: {bare_path(f"{path}/../{each}") for each in LOADED.findall(text_in(after, path))} for path in tests}
    while new := [path for path, places in loaded.items() if changed & places]:
        own, changed = [*own, *new], changed | set(map(bare_path, new))
        loaded = {path: places for path, places in loaded.items() if path not in new}
    return own or test_paths(which, after)


def bare_path(path: str) -> str:
    """A file's path as others may write it that load it."""
    return re.sub(r"(?:/index)?(?:\.\w+)*$", "", normpath(path))


def visible_checks(which: Language, before: Tree, timeout_s: float, chosen: Chosen | None = None) -> Checks | None:
    """The tests that there were before, as people run them; None if there are none."""
    paths = [path for path in test_paths(which, before) if chosen is None or path in chosen][:_MOST_FILES]
    if not paths:
        return None
    given = before.only({path for path in before.files if is_a_test(path)})
    return Checks(runner="script", files=given, expected=("exit",), timeout_s=timeout_s,
                  command=which.command(before, paths, _names(chosen)))  # fmt: skip


def _names(chosen: Chosen | None) -> list[str]:
    return list(dict.fromkeys(name for names in (chosen or {}).values() for name in names))


def opposite_checks(which: Language, checks: Checks) -> Tree:
    """Test files that assert the opposite: whatever passes them too has not been tested, but has cheated."""
    found: dict[str, File] = {}
    for path, file in checks.files.files.items():
        if path.startswith("files/") and which.runs(path.removeprefix("files/")):
            changed = which.opposite(file.data)
            found |= {} if changed == file.data else {path: File(data=changed, mode=file.mode)}
    return Tree(files=found)


def test_paths(which: Language, tree: Tree) -> list[str]:
    """The files of a tree that hold tests."""
    return sorted(path for path, file in tree.files.items() if which.runs(path) and file.mode != "link")
