"""Small faults at the changed lines, one at a time: whether a test would notice if the change were wrong.

Tests that run the line are tried first, the most particular ones before all; a mutant that those let pass meets the
rest of them. One at a line that no test was seen to run survives without a run, once some of them were tried with all
tests: lines that another process runs are not seen. One that Go or C does not build is none: no test has to notice it.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

import anyio

from honestly._group import flat_group
from honestly.check._change import Change, python_of
from honestly.check._kept import KeptParts, Tell
from honestly.check._records import MutantCounts, SurvivingMutant, UncoveredLines, fault_text
from honestly.check._suite import LinesRun, ProjectSuite, SuiteRun
from honestly.records import Checks, Edit, Hidden, Task, Tree
from honestly.show import plural_text
from honestly.tasks import Mutant, sampled_mutants, task_mutants

_FIRST_TESTS, _EVERY, _SHOWN = 25, 5, 3
_UNSEEN_TRIED = 2
_LEAST_S, _SPARE = 15.0, 4.0
_GO, _C = "[build failed]", re.compile(r"\.(?:c|cc|cpp|cxx|h|hpp):\d+:\d+: (?:fatal )?error: ")
_SKIPPED = ("pragma: no cover", "NotImplementedError", "TYPE_CHECKING", "__main__", "__version__")


@dataclass(frozen=True, slots=True)
class MutantTerms:
    """How many mutants are tried, and for how long."""

    most: int
    seconds: float
    jobs: int


def mutants_of(change: Change) -> list[Mutant]:
    """Every mutant at a line that the change adds or writes anew, in its own code."""
    reference = Edit(write=change.after.only(change.sources))
    nothing = Checks(runner="pytest", files=Tree(), expected=())
    task = Task(
        id="change", instruction="", workspace=change.before, hidden=Hidden(checks=nothing, reference=reference)
    )
    return [each for each in task_mutants(task) if not any(word in each.before for word in _SKIPPED)]


async def tried_mutants(
    change: Change, suite: ProjectSuite, steady: Sequence[str], usual: SuiteRun, seen: LinesRun | None,
    terms: MutantTerms, kept: KeptParts, tell: Tell,
) -> MutantCounts:  # fmt: skip
    """What the tests that pass make of the mutants.

    Args:
        change: the change.
        suite: how tests are run.
        steady: the tests that pass.
        usual: a run of all tests.
        seen: which lines they run, where that is known.
        terms: how many, how long.
        kept: what was tried before.
        tell: told how far it is.
    """
    found = mutants_of(change)
    chosen = sampled_mutants(found, terms.most, change.after.hash)
    tests = {mutant.key: _tests_at(mutant, change.after, seen, steady) for mutant in chosen}
    unseen = [mutant for mutant in chosen if tests[mutant.key] == ()]
    tell(f"trying {plural_text(len(chosen), 'small fault')}")
    limiter, end = anyio.CapacityLimiter(terms.jobs), monotonic() + terms.seconds
    fates: dict[str, str] = {}

    async def fate(mutant: Mutant, only: Sequence[str]) -> str:
        code = mutant.put_in(change.after)
        for some in (only[:_FIRST_TESTS], only[_FIRST_TESTS:]):
            if some:
                share = min(1.0, len(some) / max(1, len(steady)))
                limit = max(_LEAST_S, _SPARE * (usual.seconds * share + 2.0))
                run, seen_tests = await suite.seen(change.after, code, only=some, timeout_s=limit)
                if lost := set(some) - run.passed:
                    said = "\n".join(
                        (seen_tests.note, *(seen_tests.checks[name].message for name in lost & run.statuses.keys()))
                    )
                    unbuilt = _GO in said and lost.isdisjoint(run.statuses)
                    return "unbuilt" if unbuilt or (suite.kind == "c" and _C.search(said)) else "killed"
        return "survived"

    async def one(mutant: Mutant, only: Sequence[str]) -> None:
        async with limiter:
            key = f"mutant {mutant.key}"
            if monotonic() < end or key in kept:
                fates[mutant.key] = await kept.part(key, str, lambda: fate(mutant, only))
                _tell_fate(mutant, fates, len(chosen), tell)

    async def each(mutants: Sequence[tuple[Mutant, Sequence[str]]]) -> None:
        async with flat_group() as group:
            for mutant, only in mutants:
                group.start_soon(one, mutant, only)

    await each([(mutant, steady) for mutant in unseen[:_UNSEEN_TRIED]])
    believed = not any(fates.get(mutant.key) == "killed" for mutant in unseen[:_UNSEEN_TRIED])
    if believed:
        fates |= {mutant.key: "survived" for mutant in unseen}
    rest = [mutant for mutant in chosen if mutant.key not in fates]
    await each([(mutant, tests[mutant.key] or steady) for mutant in rest])
    survivors = tuple(
        SurvivingMutant(each.key, each.path, each.line, each.before, each.after, tests[each.key] != () or not believed)
        for each in chosen
        if fates.get(each.key) == "survived"
    )
    notes = [] if believed else ["tests reach the change in another process, where no line is seen"]
    if len(fates) < len(chosen):
        notes.append(
            f"{len(chosen) - len(fates)} were not tried, because time was up; run the same command with more "
            "--seconds to continue"
        )
    tried = [fate for fate in fates.values() if fate != "unbuilt"]
    made = len(found) - (len(fates) - len(tried))
    return MutantCounts(made, len(tried), tried.count("killed"), survivors, tuple(notes))


def _tell_fate(mutant: Mutant, fates: Mapping[str, str], of: int, tell: Tell) -> None:
    if fates[mutant.key] == "survived" and list(fates.values()).count("survived") <= _SHOWN:
        tell(f"look: no test notices {fault_text(mutant.before, mutant.after)} ({mutant.path}:{mutant.line})")
    if len(fates) % _EVERY == 0 or len(fates) == of:
        tell(f"small faults tried: {len(fates)} of {of}")


def _tests_at(mutant: Mutant, tree: Tree, seen: LinesRun | None, steady: Sequence[str]) -> tuple[str, ...] | None:
    """The tests that run a mutant's statement, those that run least before; None where that is not known."""
    if seen is None or not mutant.path.endswith(".py"):
        return None
    span = _statement(tree.files[mutant.path].data, mutant.line)
    found = {test: each for test, each in seen.lines.items() if not span.isdisjoint(each.get(mutant.path, ()))}
    if "" in found:
        return tuple(steady)
    known = set(steady)
    named = sorted((test for test in found if test in known), key=lambda test: sum(map(len, found[test].values())))
    return tuple(named)


def _statement(data: bytes, line: int) -> frozenset[int]:
    """The lines of the innermost statement that holds a line."""
    nodes = [node for node in ast.walk(python_of(data)) if isinstance(node, ast.stmt)]
    around = [
        (node.lineno, node.end_lineno or node.lineno) for node in nodes if node.lineno <= line <= (node.end_lineno or 0)
    ]
    start, end = min(around, key=lambda span: span[1] - span[0], default=(line, line))
    return frozenset(range(start, min(end, line + 20) + 1))


def uncovered_lines(change: Change, seen: LinesRun | None) -> tuple[UncoveredLines, ...] | None:
    """The changed lines that do something and that no test was seen to run; None where that is not known."""
    if seen is None:
        return None
    run: dict[str, set[int]] = {}
    for each in seen.lines.values():
        for path, lines in each.items():
            run.setdefault(path, set()).update(lines)
    found = []
    for path in change.sources:
        if path.endswith(".py"):
            active = _active_lines(change.after.files[path].data) & change.lines_of(path)
            if gone := sorted(active - run.get(path, set())):
                found.append(UncoveredLines(path, tuple(gone), len(active)))
    return tuple(found)


def _active_lines(data: bytes) -> set[int]:
    """First lines of statements that do something, without those that nobody expects a test to run."""
    text = data.decode("utf-8", "replace").splitlines()
    found, left_out = set[int](), set[int]()
    for node in ast.walk(python_of(data)):
        if not isinstance(node, ast.stmt):
            continue
        line = text[node.lineno - 1] if node.lineno <= len(text) else ""
        if any(word in line for word in _SKIPPED):
            left_out |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not constant and not isinstance(node, ast.Global | ast.Nonlocal | ast.Pass | ast.Import | ast.ImportFrom):
            found.add(node.lineno)
    return found - left_out


def lines_reached(uncovered: Sequence[UncoveredLines], change: Change) -> Mapping[str, tuple[int, int]]:
    """Of each changed file of Python: how many of its changed lines do something, and how many no test runs."""
    gone = {each.path: len(each.lines) for each in uncovered}
    return {
        path: (len(_active_lines(change.after.files[path].data) & change.lines_of(path)), gone.get(path, 0))
        for path in change.sources
        if path.endswith(".py")
    }
