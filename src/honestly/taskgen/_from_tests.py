"""A repository built again, step by step, as its tests ask for it (SWE-Flow, arXiv 2506.09003).

Each test is run once under a profiler that says which functions of the source it calls. Tests are put into an order in
which each needs as few new functions as can be; a step is what the next tests need and no earlier one. The task of a
step is to write the bodies of those functions: in its workspace they, and those of later steps, only raise
NotImplementedError. Tests of earlier steps go on passing; half of the step's own are shown, the others are hidden, and
those of later steps are gone. Functions that run while modules are loaded stay as they are.
"""

import ast
import json
import random
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from honestly.errors import SandboxError, SandboxUnavailableError, TaskError, VerifierError
from honestly.records import Edit, File, Hidden, Tags, Tree, digest
from honestly.sandbox import Sandbox
from honestly.taskgen._from_commit import MakingTerms, TaskMade, made_before, unproved_reason, write_made
from honestly.taskgen._given_away import given_away
from honestly.taskgen._journal import MinedTask, MiningJournal, Progress, WantedTasks, until_enough
from honestly.taskgen._measured import listed_names
from honestly.taskgen._tested import Function, TestedTree, named_functions, visible_of, without_tests
from honestly.taskgen._told import tell_step
from honestly.tasks import task_id
from honestly.verify import OpenBox, see_tests

KIND = "from-tests"
_TRACE_S = 300.0
_ORDERS = 5
"""How many orders of the tests are gone through that ask for as little as can be; and then that are drawn."""
_DRAWN = 40
_OUT = "/tmp/honestly-trace.json"  # noqa: S108 - in the sandbox
_TRACER = f"""

def _honestly_trace():
    import json, os, sys, threading
    import pytest
    root, seen, loaded = os.getcwd() + os.sep, {{}}, set()
    def profiler(into):
        def profile(frame, event, arg):
            if event == "call" and frame.f_code.co_filename.startswith(root):
                into.add((frame.f_code.co_filename[len(root):], frame.f_code.co_firstlineno))
        return profile
    def start(into):
        threading.setprofile(profiler(into)); sys.setprofile(profiler(into))
    def stop():
        sys.setprofile(None); threading.setprofile(None)
    class Tracer:
        def pytest_collection_finish(self):
            stop()
        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_protocol(self, item):
            start(seen.setdefault(item.nodeid, set()))
            yield
            stop()
        def pytest_sessionfinish(self):
            stop()
            with open({_OUT!r}, "w") as file:
                json.dump([sorted(loaded), {{name: sorted(each) for name, each in seen.items()}}], file)
    start(loaded)
    return Tracer()
def pytest_addhooks(pluginmanager, register=_honestly_trace):
    pluginmanager.register(register(), "honestly-trace")
"""
"""What a conftest.py is given to say which functions each test calls; pytest is the one that the verifier ships."""
Place = tuple[str, str]
"""A function: its file, and `Class::name`."""


@dataclass(frozen=True, slots=True)
class Step:
    """The functions that the next tests need and no earlier one."""

    name: str
    tests: tuple[str, ...]
    new: frozenset[Place]
    earlier: tuple[str, ...]
    """Tests of earlier steps."""
    later: tuple[str, ...]
    missing: frozenset[Place]
    """Functions of later steps."""


async def traced_calls(found: TestedTree, open_box: OpenBox) -> dict[str, frozenset[Place]]:
    """Which functions each steady test calls, without those that run while modules are loaded.

    Raises:
        TaskError: the tests cannot be run under a profiler.
        SandboxError: the sandbox broke.
    """
    conftest = found.checks.files.files.get("conftest.py", File(data=b""))
    files = {**found.checks.files.files, "conftest.py": File(data=conftest.data + _TRACER.encode())}
    checks = replace(found.checks, files=Tree(files=files), timeout_s=_TRACE_S)
    traces: list[bytes] = []

    @asynccontextmanager
    async def read_at_the_end(tree: Tree, /, **how: Any) -> AsyncIterator[Sandbox]:  # noqa: ANN401 - an OpenBox's
        async with open_box(tree, **how) as box:
            yield box
            with suppress(SandboxError):
                traces.append(await box.read(_OUT))

    seen = await see_tests(checks, found.tree, found.installed.preparation, read_at_the_end, hidden=True)
    try:
        loaded, calls = json.loads(traces[0])
    except (IndexError, ValueError) as error:
        raise TaskError(f"its tests cannot be run under a profiler: {seen.note[-300:]}") from error
    places = {
        (path, line): (path, name)
        for path, file in found.source.files.items()
        for name, node in removable_bodies(file.data)
        for line in {node.lineno, *(each.lineno for each in node.decorator_list[:1])}
    }
    known = {places[path, line] for path, line in loaded if (path, line) in places}
    return {
        name: frozenset(places[path, line] for path, line in calls[name] if (path, line) in places) - known
        for name in found.steady
        if name in calls
    }


def rebuild_steps(
    found: TestedTree, calls: dict[str, frozenset[Place]], seed: int, *, drawn: bool = False
) -> list[Step]:
    """The steps in which a repository is built again; the order of tests that need equally much is drawn."""
    groups: dict[str, list[str]] = {}
    for name in calls:
        groups.setdefault(name.partition("[")[0], []).append(name)
    needs = {group: frozenset.union(*(calls[name] for name in names)) for group, names in groups.items()}
    left = [group for group in groups if needs[group]]
    random.Random(seed).shuffle(left)  # noqa: S311 - a sample, no secret
    built: frozenset[Place] = frozenset()
    rows: list[tuple[list[str], frozenset[Place]]] = []
    while left:
        best = left[0] if drawn else min(left, key=lambda group: len(needs[group] - built))
        new = needs[best] - built
        built |= new
        now = [group for group in left if needs[group] <= built]
        left = [group for group in left if group not in now]
        rows.append(([name for group in now for name in groups[group]], new))
    everything = frozenset.union(frozenset(), *needs.values())
    found_steps, built = [], frozenset()
    for at, (tests, new) in enumerate(rows):
        built |= new
        earlier = tuple(name for names, _ in rows[:at] for name in names)
        later = tuple(name for names, _ in rows[at + 1 :] for name in names)
        name = digest(found.commit.sha, sorted(new), sorted(built))[:8]
        found_steps.append(Step(name, tuple(tests), new, earlier, later, everything - built))
    return found_steps


def step_name(found: TestedTree, step: Step) -> str:
    """The id that a step's task has."""
    return task_id(f"{found.repository.name}-step-{step.name}", found.repository.name)


async def from_step(found: TestedTree, step: Step, into: Path, open_box: OpenBox, how: MakingTerms) -> TaskMade:
    """Makes a task of one step, in a new folder below `into`, or says why not.

    Raises:
        TaskError: the folder cannot be written.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    try:
        return made_before(into / step_name(found, step)) or await _step_task(found, step, into, open_box, how)
    except SandboxUnavailableError:
        raise
    except (SandboxError, VerifierError) as error:
        return TaskMade(step.name, refused=f"its tests cannot be run here: {str(error)[:400]}")


async def _step_task(found: TestedTree, step: Step, into: Path, open_box: OpenBox, how: MakingTerms) -> TaskMade:
    groups = _test_groups(step)
    shown_groups = set(groups[: len(groups) // 2])
    if not _is_askable(found, step):
        return TaskMade(step.name, refused="nothing would say what its functions must do: one test, and no docstring")
    solved = without_bodies(found.tree, step.missing)
    start = without_bodies(solved, step.new)
    before = [await found.see_tests(start, open_box, backwards=number % 2 == 1) for number in range(2)]
    after = [await found.see_tests(solved, open_box, backwards=number % 2 == 1) for number in range(2)]
    always = frozenset.intersection(*(each.passed for each in after))
    failing = tuple(name for name in step.tests if name in always and not any(name in each.passed for each in before))
    if not failing:
        return TaskMade(step.name, refused=f"none of its {len(step.tests)} tests fails without its functions")
    kept = tuple(name for name in step.earlier if name in always and all(name in each.passed for each in before))
    shown = tuple(name for name in (*failing, *kept) if name.partition("[")[0] in shown_groups or name in kept)
    hidden_groups = [name for name in failing if name not in shown]
    workspace, gone = without_tests(start, [*step.later, *hidden_groups])
    shown = tuple(name for name in shown if name.partition("::")[0] not in gone)
    files = {name.partition("::")[0] for name in failing}
    hidden = (*failing, *(name for name in kept if name.partition("::")[0] in files))
    told = tell_step(
        found.repository.name, _asked_functions(found.source, step.new), sorted({n.partition("::")[0] for n in shown})
    )
    name = step_name(found, step)
    task = found.task(
        name, told, workspace, visible_of(workspace, shown, found.checks.writable),
        Hidden(checks=found.hidden(hidden), reference=Edit.between(start, solved)),
        Tags(category="implement", made=KIND),
    )  # fmt: skip
    if away := given_away(task, told, found.repository.name):
        return TaskMade(step.name, refused=f"its instruction would give it away: {listed_names(away)}")
    if why := await unproved_reason(task, open_box, unsafe=how.unsafe):
        return TaskMade(step.name, refused=why)
    notes = (f"functions: {listed_names(sorted('::'.join(place) for place in step.new), 20)}",)
    write_made(into / name, task, found.record(task, told, failing, notes))
    return TaskMade(step.name, name, failing, tuple(each for each in hidden if each not in failing))


async def from_tests(
    found: TestedTree, into: Path, wanted: WantedTasks, open_box: OpenBox, how: MakingTerms, progress: Progress
) -> list[MinedTask]:
    """Makes tasks of steps until there are enough: of one order of tests, then of others. Errors as above."""
    calls = await traced_calls(found, open_box)
    orders = [rebuild_steps(found, calls, wanted.seed + at, drawn=at >= _ORDERS) for at in range(_ORDERS + _DRAWN)]
    free = (step for order in orders for step in order if not any("::".join(p) in wanted.without for p in step.new))
    every: dict[frozenset[Place], Step] = {}  # one for each set of functions that is asked for
    for step in free:
        if step.new not in every or (_is_askable(found, step) and not _is_askable(found, every[step.new])):
            every[step.new] = step

    async def make(step: Step) -> TaskMade:
        return await from_step(found, step, into, open_box, how)

    journal = MiningJournal(into, found.repository.name, KIND)
    return await until_enough(
        [(step.name, step) for step in every.values()], make, found.commit, journal, wanted.count, progress
    )


def removable_bodies(data: bytes) -> Iterator[tuple[str, Function]]:
    """The functions of a file whose bodies can be left out, as `Class::name`."""
    try:
        parsed = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return
    for name, node, _ in named_functions(parsed):
        marks = " ".join(map(ast.unparse, node.decorator_list))
        if node.body[0].lineno > node.lineno and "overload" not in marks and "abstract" not in marks:
            yield name, node


def without_bodies(tree: Tree, places: Collection[Place]) -> Tree:
    """Files in which some functions only raise NotImplementedError; signatures and docstrings stay."""
    files = dict(tree.files)
    for path in sorted({path for path, _ in places}):
        lines = files[path].data.splitlines(keepends=True)
        wanted = {name for place, name in places if place == path}
        for _, node in sorted(
            ((n, f) for n, f in removable_bodies(files[path].data) if n in wanted), key=lambda e: -e[1].lineno
        ):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            start = (body[0].lineno if body else (node.end_lineno or 0) + 1) - 1
            decorated = getattr(body[0], "decorator_list", ()) if body else ()
            start = min([start, *(each.lineno - 1 for each in decorated)])
            indent = b" " * node.body[0].col_offset
            lines[start : node.end_lineno] = [indent + b"raise NotImplementedError\n"]
        files[path] = File(data=b"".join(lines), mode=files[path].mode)
    return Tree(files=files)


def _test_groups(step: Step) -> list[str]:
    """The test functions of a step."""
    return list(dict.fromkeys(name.partition("[")[0] for name in step.tests))


def _is_askable(found: TestedTree, step: Step) -> bool:
    """Whether something says what its functions must do: a test that can be shown, or docstrings."""
    return len(_test_groups(step)) > 1 or all(
        name in _documented(found.source.files[path].data) for path, name in step.new
    )


@cache
def _documented(data: bytes) -> frozenset[str]:
    """The functions of a file that have a docstring."""
    return frozenset(name for name, node in removable_bodies(data) if ast.get_docstring(node))


def _asked_functions(source: Tree, places: Collection[Place]) -> list[str]:
    """The functions that are asked for, each with its file and its parameters."""
    return [
        f"`{path}`: `{name.replace('::', '.')}({ast.unparse(node.args)})`"
        for path in sorted({path for path, _ in places})
        for name, node in removable_bodies(source.files[path].data)
        if (path, name) in places
    ]
