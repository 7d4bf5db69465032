"""A repository at one commit with tests that pass: what bugs are planted in, and what is built again from its tests."""

import ast
import platform
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from msgspec.structs import replace

from honestly._version import program_version
from honestly.errors import TaskError
from honestly.records import Checks, File, Hidden, Tags, Task, Tree
from honestly.taskgen._from_commit import MadeFrom, MakingTerms
from honestly.taskgen._installed import InstalledNeeds
from honestly.taskgen._measured import best_way, lacking_modules, test_files, test_modules
from honestly.taskgen._project import python_project
from honestly.taskgen._repository import Commit, Repository
from honestly.taskgen._split import is_source
from honestly.taskgen._told import Told
from honestly.verify import OpenBox, SeenTests, see_tests

_MOST_FILES = 100
_FIRST_S = 600.0
"""Limit on a run of the tests as they are."""
_LONGEST_S, _LEAST_S, _SPARE = 60.0, 15.0, 3.0
"""Limits on others: between them ten times what it takes, since many a planted bug makes one hang; at least three
times."""


@dataclass(frozen=True, slots=True)
class TestedTree:
    """A repository at one commit, its tests, and those of them that pass in every run."""

    repository: Repository
    commit: Commit
    tree: Tree
    """Its files, without any history."""
    installed: InstalledNeeds
    checks: Checks
    """All of its test files."""
    steady: tuple[str, ...]
    flaky: tuple[str, ...]
    runs: int

    @property
    def source(self) -> Tree:
        """Its own code in Python."""
        return self.tree.only(path for path in self.tree.files if path.endswith(".py") and is_source(path))

    async def see_tests(
        self, tree: Tree, open_box: OpenBox, *, backwards: bool = False, only: Sequence[str] = ()
    ) -> SeenTests:
        """Runs all tests, or only some, over other files."""
        checks = replace(self.checks, expected=tuple(only)) if only else self.checks
        return await see_tests(checks, tree, self.installed.preparation, open_box, hidden=True, backwards=backwards)

    def hidden(self, expected: tuple[str, ...]) -> Checks:
        """Some of the tests as hidden checks."""
        return replace(self.checks, expected=expected, timeout_s=2 * self.checks.timeout_s)

    def task(self, name: str, told: Told, workspace: Tree, visible: Checks | None, hidden: Hidden, tags: Tags) -> Task:
        """A task in this repository."""
        return Task(
            id=name, instruction=told.text, workspace=workspace, visible=visible, hidden=hidden,
            tags=replace(tags, language="python", cluster=self.repository.name, date=self.commit.day),
            timeout_s=1800.0, preparation=replace(self.installed.preparation, installed=(), prepared=False),
        )  # fmt: skip

    def record(self, task: Task, told: Told, fail_to_pass: tuple[str, ...], notes: tuple[str, ...]) -> MadeFrom:
        """How a task in this repository was made."""
        assert task.hidden is not None
        expected = task.hidden.checks.expected
        return MadeFrom(
            kind=task.tags.made, repository=self.repository.name, revision=self.commit.sha, parent="",
            fail_to_pass=fail_to_pass, pass_to_pass=tuple(name for name in expected if name not in fail_to_pass),
            flaky=self.flaky, runs=self.runs, tests=tuple(sorted({name.partition("::")[0] for name in expected})),
            source=tuple(sorted(task.hidden.reference.write.files)), other=(), history="none", instruction=told,
            read=self.installed.needs.files, installed=self.installed.preparation.installed,
            versions={"honestly": program_version(), "python": platform.python_version()},
            notes=(*self.installed.notes, *notes),
        )  # fmt: skip


async def tested_commit(repository: Repository, commit: Commit, open_box: OpenBox, how: MakingTerms) -> TestedTree:
    """Installs what a repository needs, and runs all its tests several times.

    Raises:
        TaskError: it cannot be installed, or has no tests that pass.
        SandboxError: a sandbox broke.
    """
    tree = repository.tree(commit.sha)
    found = test_modules(tree)[:_MOST_FILES]
    if not found:
        raise TaskError(f"{repository.name} has no test files in Python at {commit.sha[:10]}")
    how.tell("installing")
    project = await python_project(tree, tree, repository.version_at(commit.sha), open_box, unsafe=how.unsafe)
    tree = tree.over(project.made)
    installed = await project.install(())
    checks = Checks(runner="pytest", files=test_files(tree), expected=tuple(found), timeout_s=_FIRST_S)
    how.tell("running its tests")
    way = await best_way(checks, tree, installed.preparation, open_box)
    if lacking := lacking_modules(way.seen):
        installed = await project.install(lacking)
        way = await best_way(checks, tree, installed.preparation, open_box)
    if way.why:
        raise TaskError(f"{repository.name} at {commit.sha[:10]} cannot be used: {way.why}")
    first, checks = way.seen, way.checks
    seen, start = [first], time.monotonic()
    for number in range(1, how.runs):
        how.tell(f"running its {len(first.checks)} tests: run {number + 1} of {how.runs}")
        backwards = number % 2 == 1
        seen.append(await see_tests(checks, tree, installed.preparation, open_box, hidden=True, backwards=backwards))
    always = frozenset.intersection(*(each.passed for each in seen))
    ever = frozenset.union(*(each.passed for each in seen))
    usual = (time.monotonic() - start) / max(1, how.runs - 1)
    return TestedTree(
        repository, commit, tree, installed,
        replace(checks, timeout_s=max(_SPARE * usual, min(_LONGEST_S, max(_LEAST_S, 10 * usual)))),
        steady=tuple(name for name in first.checks if name in always),
        flaky=tuple(sorted(ever - always)), runs=how.runs,
    )  # fmt: skip


def visible_of(tree: Tree, shown: tuple[str, ...], writable: bool) -> Checks | None:
    """Some tests as visible checks; None if there are none."""
    if not shown:
        return None
    files = {path for path in test_files(tree).files if path.endswith(".py")}
    return Checks(runner="pytest", files=tree.only(files), expected=shown, timeout_s=120.0, writable=writable)


def without_tests(tree: Tree, names: Collection[str]) -> tuple[Tree, frozenset[str]]:
    """Files without some test functions, and the test files that had to be left out whole.

    A test that a class inherits cannot be taken out of its own file: then the file goes.
    """
    by_path: dict[str, set[str]] = {}
    for name in names:
        path, _, inner = name.partition("::")
        by_path.setdefault(path, set()).add(inner.partition("[")[0])
    files, gone = dict(tree.files), set[str]()
    for path, inners in by_path.items():
        cut = _without_tests(tree.files[path].data, inners)
        if cut is None:
            gone.add(path)
            del files[path]
        else:
            files[path] = File(data=cut, mode=tree.files[path].mode)
    return Tree(files=files), frozenset(gone)


def _without_tests(data: bytes, names: Collection[str]) -> bytes | None:
    try:
        parsed = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = {name: (node, alone) for name, node, alone in named_functions(parsed) if name in names}
    if len(found) < len(names):
        return None
    lines = data.splitlines(keepends=True)
    for node, alone in sorted(found.values(), key=lambda each: -each[0].lineno):
        start = min(node.lineno, *(each.lineno for each in node.decorator_list), node.lineno) - 1
        indent = b" " * node.col_offset
        lines[start : node.end_lineno] = [indent + b"pass\n"] if alone else []
    return b"".join(lines)


Function = ast.FunctionDef | ast.AsyncFunctionDef


def named_functions(parsed: ast.Module | ast.ClassDef, outer: str = "") -> Iterator[tuple[str, Function, bool]]:
    """Functions and methods, with pytest's names for them (`Class::function`), and whether they lie in a class.

    Those inside of other functions are left out.
    """
    for node in parsed.body:
        if isinstance(node, Function):
            yield outer + node.name, node, bool(outer)
        elif isinstance(node, ast.ClassDef):
            yield from named_functions(node, f"{outer}{node.name}::")


def function_at(path: str, data: bytes, line: int) -> str:
    """The function that a line belongs to, as `path::Class::name`; `path::` where it is in none."""
    try:
        inside = (
            n for n, f, _ in named_functions(ast.parse(data)) if _first_line(f) <= line <= (f.end_lineno or f.lineno)
        )
        return f"{path}::{next(inside, '')}"
    except (SyntaxError, ValueError, RecursionError):
        return f"{path}::"


def touched_functions(before: Tree, after: Tree) -> frozenset[str]:
    """The functions in which two states of a repository differ, as `path::Class::name`."""
    found = set[str]()
    for path in before.files.keys() | after.files.keys():
        old, new = (tree.files[path].data if path in tree.files else b"" for tree in (before, after))
        if old == new:
            continue
        blocks = SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False).get_opcodes()
        for _, start, end, to, until in (block for block in blocks if block[0] != "equal"):
            found |= {function_at(path, old, at + 1) for at in range(start, end)}
            found |= {function_at(path, new, at + 1) for at in range(to, until)}
    return frozenset(found)


def _first_line(function: Function) -> int:
    return min([function.lineno, *(each.lineno for each in function.decorator_list)])
