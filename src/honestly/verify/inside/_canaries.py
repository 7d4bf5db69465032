"""Making canaries: contradictions of a task's tests that its reference was seen to fail, and to fail alone.

For each test the best way to contradict it is tried first, then the next, until the reference fails it: what it passes
contradicts nothing (an assertion that is never reached, a value that makes no difference). Then it is made sure that a
contradicted test, which ends sooner than usual, disturbs no other: for every two tests there is a run in which the one
is contradicted and the other is not, and must pass. In a file where that fails there will be no canaries.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb

from msgspec.structs import replace

from honestly.errors import ReferenceFailsError, SandboxUnavailableError, TaskError, VerifierError
from honestly.records import Checks, Edit, Task, Tree
from honestly.verify._open import OpenBox
from honestly.verify._solve import reference_workspace
from honestly.verify.inside._asked import is_copied
from honestly.verify.inside._cache import LONG, keep_canaries, kept_canaries
from honestly.verify.inside._contradict import LITERAL, Contradiction
from honestly.verify.inside._mixture import Canaries, version_tree, with_asked
from honestly.verify.inside._opaque import opaque_checks, opaque_ids, unnamed_checks, with_names
from honestly.verify.inside._runs import Report, listed_names
from honestly.verify.inside._script import run_script
from honestly.verify.inside._strict import run_strictly
from honestly.verify.inside._testfile import Place
from honestly.verify.inside._ways import contradicted_files, contradiction_ways, helper_ways

_TRIES, _ROUNDS = 6, 4
_SCRIPT_TESTS, _SCRIPT_TRIES = 6, 2
"""How many tests of a script's get a canary, and how many ways are tried: each takes a run."""

_MADE: dict[str, Checks] = {}
"""Checks with canaries by the hash of their task: a pure result that takes some seconds, or minutes."""


async def with_canaries(task: Task, open_box: OpenBox) -> Checks:
    """The hidden checks of a task, with canaries if they can be made; made once, however often it is asked.

    A script that installs its runner in every run has none: they take many runs, and each would fetch as much again.

    Raises:
        VerifierError: the task's reference does not pass, so that no verdict would mean anything.
        SandboxError: a sandbox broke.
    """
    assert task.hidden is not None
    checks = task.hidden.checks
    if checks.canaries.files or (task.environment is not None and task.environment.installs):
        return checks
    if task.hash not in _MADE:
        _MADE[task.hash] = kept_canaries(task) or await _made_canaries(task, open_box)
    return _MADE[task.hash]


async def canaries_of(task: Task, open_box: OpenBox) -> tuple[int, int]:
    """The number of hidden tests with a canary that the reference fails, and of all tests.

    Raises:
        VerifierError: the reference does not pass.
        SandboxError: a sandbox broke.
    """
    checks = await with_canaries(task, open_box)
    checks, _ = unnamed_checks(checks)
    canaries = Canaries(checks, checks.canaries)
    return sum(canaries.place(name) in canaries.places for name in checks.expected), len(checks.expected)


async def _made_canaries(task: Task, open_box: OpenBox) -> Checks:
    assert task.hidden is not None
    checks = task.hidden.checks
    # The solved workspace; None if the task does not say how, or its program cannot be run here.
    if task.hidden.reference == Edit() and not task.hidden.solution.files:
        reference = None
    else:
        try:
            reference = await reference_workspace(task, open_box)
        except (TaskError, SandboxUnavailableError):
            reference = None
    if reference is None:
        return checks
    try:
        made = await make_canaries(checks, reference, open_box)
    except TaskError as error:
        raise VerifierError(f"task {task.id}: {error}") from error
    keep_canaries(task, made)
    return made


async def make_canaries(checks: Checks, reference: Tree, open_box: OpenBox) -> Checks:
    """Adds canaries to hidden checks that run inside; returns checks of the runner `grader` unchanged.

    Costs about 5 + log2(n) + log2(log2(n)) / 2 runs of n tests, and up to fifteen of a script.
    If the reference has to write in the workspace, the checks returned say so.

    Args:
        checks: the checks; a script's own canaries are kept, and proved too.
        reference: the workspace with a right solution.
        open_box: opens sandboxes.

    Raises:
        TaskError: the reference does not pass, or passes a script's own canaries.
        VerifierError: the machinery failed.
        SandboxError: a sandbox broke.
    """
    if checks.runner == "grader":
        return checks
    if checks.runner == "script":

        async def passes(files: Tree) -> bool:
            return (await run_script(replace(checks, files=files), reference, open_box)).passed

        run = await run_script(checks, reference, open_box)
        if not run.passed:
            said = [*(f"{check.id} {check.status}: {check.message}" for check in run.checks), run.note]
            raise ReferenceFailsError(f"the reference does not pass the script: {'; '.join(filter(None, said))}")
        own = Canaries(checks, checks.canaries)
        if checks.canaries.files and await passes(own.mixed_files(own.places, others=True)):
            raise TaskError("the reference passes the script's canaries too, so they say nothing")
        if checks.canaries.files:
            return checks
        chosen: dict[Place, Contradiction] = {}
        for place, some in list(contradiction_ways(checks.files).items()):
            for way in some[:_SCRIPT_TRIES]:
                if len(chosen) < _SCRIPT_TESTS and not await passes(
                    contradicted_files(checks.files, {place: way}).over(checks.files)
                ):
                    chosen[place] = way
                    break
        return replace(checks, canaries=contradicted_files(checks.files, chosen))
    checks = await _passing_checks(checks, reference, open_box)
    canaries = await _proved_canaries(checks, reference, open_box)
    if Canaries(checks, canaries).proving and (found := await _opaque_checks(checks, reference, open_box)):
        bare, names = found
        canaries = with_names(bare, await _proved_canaries(bare, reference, open_box), names)
    return replace(checks, canaries=canaries)


async def _proved_canaries(checks: Checks, reference: Tree, open_box: OpenBox) -> Tree:
    """The canaries of tests that the reference passes."""
    proof = _Proof(checks, reference, open_box)
    # The contradicted files, once for each value that some test can expect.
    chosen = await proof.undisturbing_changes()
    found = []
    for number in range(max((1 + len(way.also) for way in chosen.values()), default=1)):
        some = {place: way.only([number]) or way for place, way in chosen.items()}
        found.append(contradicted_files(checks.files, some).over(checks.files))
    canaries = version_tree(found)
    if len(checks.expected) >= LONG:
        canaries = with_asked(canaries, *await proof.asked(Canaries(checks, canaries)))
    return canaries


async def _opaque_checks(checks: Checks, reference: Tree, open_box: OpenBox) -> tuple[Checks, dict[str, str]] | None:
    """The checks under names that say nothing, and the id of each; None where the reference does not pass them so."""
    bare = opaque_checks(checks)
    reports = [await run_strictly(each, each.files, reference, open_box) for each in (checks, bare)]
    names = opaque_ids(checks, bare, *(list(report.planned) for report in reports))
    if names is None or any(reports[1].check(name).status != "passed" for name in names.values()):
        return None
    return replace(bare, expected=tuple(names.values())), names


async def expected_checks(checks: Checks, reference: Tree, open_box: OpenBox) -> Checks:
    """Makes pytest checks expect what the reference passes, each set of parameters by itself.

    Args:
        checks: what it expects now tells in which files, or functions, to look.
        reference: the workspace with a right solution.
        open_box: opens sandboxes.

    Raises:
        TaskError: the reference passes nothing.
        VerifierError: the machinery failed.
        SandboxError: a sandbox broke.
    """
    report = await run_strictly(checks, checks.files, reference, open_box)
    passed = tuple(name for name in report.planned if report.check(name).status == "passed")
    if not passed:
        raise TaskError(f"the reference passes none of the tests; {report.trouble_line(checks.expected)}")
    return replace(checks, expected=passed)


async def _passing_checks(checks: Checks, reference: Tree, open_box: OpenBox) -> Checks:
    """The checks, such that the reference passes: if it must write in the workspace, they say so."""
    checks = replace(checks, canaries=Tree())
    for tried in (checks, replace(checks, writable=True)):
        report = await run_strictly(tried, tried.files, reference, open_box)
        failing = [check for check in map(report.check, tried.expected) if check.status != "passed"]
        if not failing:
            return tried
    said = [
        listed_names([f"{check.id} {check.status}: {check.message}" for check in failing]),
        report.trouble_line(checks.expected),
    ]
    raise TaskError(f"the reference does not pass the hidden checks: {'; '.join(filter(None, said))}")


class _Proof:
    """Runs of the reference over test files in which some tests are contradicted."""

    def __init__(self, checks: Checks, reference: Tree, open_box: OpenBox) -> None:
        self.checks = checks
        self._reference, self._open_box = reference, open_box

    async def undisturbing_changes(self) -> dict[Place, Contradiction]:
        """Contradictions that the reference fails, without a change in what becomes of other tests."""
        chosen = await self.failed()
        for _ in range(2):
            disturbed = await self.disturbed_files(chosen)
            if not disturbed:
                return chosen
            chosen = {place: way for place, way in chosen.items() if place[0] not in disturbed}
        return {}

    async def failed(self) -> dict[Place, Contradiction]:
        """For each expected test the first contradiction that the reference fails, where there is one.

        A test that has no value of its own to alter is contradicted by a helper, if it has one, and with it all others
        which that helper helps.
        """
        left = {place: [*some[: _TRIES - 1], some[-1]] for place, some in contradiction_ways(self.checks.files).items()}
        canaries = self._chosen_canaries({place: each[0] for place, each in left.items()})
        wanted = set(filter(None, map(canaries.place, self.checks.expected)))
        helpers = await self._first_failing(self._helper_changes({place: left[place] for place in wanted}), {})
        left = {place: some for place, some in left.items() if place in wanted}
        return helpers | await self._first_failing(left, helpers)

    def _helper_changes(self, own: Mapping[Place, list[Contradiction]]) -> dict[Place, list[Contradiction]]:
        """Helpers of tests of which one has no better contradiction; no two that help the same test."""
        poor = {place for place, some in own.items() if some[0].kind > LITERAL}
        chosen: dict[Place, list[Contradiction]] = {}
        helped: set[Place] = set()
        for helper, (users, some) in helper_ways(self.checks.files).items():
            if some and users & poor and not users & helped:
                chosen[helper] = some[:_TRIES]
                helped |= users
        return chosen

    async def _first_failing(
        self, left: dict[Place, list[Contradiction]], helpers: Mapping[Place, Contradiction]
    ) -> dict[Place, Contradiction]:
        """Of each place the first contradiction that the reference fails, with those values that it fails."""
        found: dict[Place, Contradiction] = {}
        while left:
            canaries = self._chosen_canaries({**helpers, **{place: some[0] for place, some in left.items()}})
            left = {place: some for place, some in left.items() if place in canaries.places}
            first = {place: some[0] for place, some in left.items()}
            passed: list[set[Place]] = []
            for number in range(max((1 + len(way.also) for way in first.values()), default=0)):
                tried = {place: only for place, way in first.items() if (only := way.only([number]))}
                canaries = self._chosen_canaries({**helpers, **tried})
                report = await self._run_contradicted(canaries, tried.keys() & canaries.places, alone=True)
                passed.append(_passed_places(self.checks, canaries, report))
            for place, way in first.items():
                if kept := way.only(number for number, some in enumerate(passed) if place not in some):
                    found[place] = kept
            left = {place: some[1:] for place, some in left.items() if place not in found and some[1:]}
        return found

    async def disturbed_files(self, chosen: dict[Place, Contradiction]) -> set[str]:
        """The files with a test that fails, or passes, only because others are contradicted."""
        canaries = self._chosen_canaries(chosen)
        found: set[str] = set()
        for places in _separating_sets(sorted(chosen)):
            report = await self._run_contradicted(canaries, places)
            found |= {path for path, _ in _passed_places(self.checks, canaries, report) & places}
            for name in self.checks.expected:
                if canaries.place(name) not in places and report.check(name).status != "passed":
                    found.add(canaries.file(name))
        return found

    async def asked(self, canaries: Canaries) -> tuple[frozenset[Place], set[Place]]:
        """The places that can ask for all their versions in one run, with what several runs would say of them.

        And those among them of which this is so only where there is a copy for each run.
        """
        places, copied = canaries.places, set[Place]()
        for _ in range(_ROUNDS):
            twins = {place: range(len(canaries.twins[place])) for place in places}
            runs = 1 + max(map(len, twins.values()), default=0)
            plan = [{place: n - 1 for place in places if n and n - 1 in twins[place]} for n in range(runs)]
            wrong: set[Place | None] = set()
            for order in (plan, plan[::-1]):  # whatever is compared first
                asking = canaries.asking_texts(order, places, copied)
                report = await run_strictly(self.checks, canaries.at_once({}, asking), self._reference, self._open_box)
                wrong |= places - asking.keys() | self._misjudged_places(canaries, order, asking, report)
            if not wrong:
                return places, copied
            places -= {place for place in places & wrong if place in copied or is_copied(asking.get(place, b""))}
            copied |= places & wrong
        return frozenset(), set()

    def _misjudged_places(
        self, canaries: Canaries, plan: Sequence[Mapping[Place, int]], asking: Mapping[Place, bytes], report: Report
    ) -> set[Place | None]:
        """Places of which one run does not say what the runs of a plan would: in one of them all are true."""
        copied = {place for place, text in asking.items() if is_copied(text)}
        functions = {name.partition("[")[0] for name in self.checks.expected if canaries.place(name) in copied}
        wrong = {canaries.place(name) for name in report.again}
        for number, twins in enumerate(plan):
            said = report.of_run(number, functions)
            if not twins:
                wrong |= {canaries.place(name) for name in self.checks.expected if said.check(name).status != "passed"}
            wrong |= _passed_places(self.checks, canaries, said) & twins.keys()
        return wrong

    def _chosen_canaries(self, chosen: dict[Place, Contradiction]) -> Canaries:
        return Canaries(self.checks, contradicted_files(self.checks.files, chosen))

    async def _run_contradicted(self, canaries: Canaries, places: Collection[Place], *, alone: bool = False) -> Report:
        """Runs the tests with some contradicted; of those alone where nothing is asked about the others."""
        checks = self.checks
        if alone:
            checks = replace(checks, expected=tuple(n for n in checks.expected if canaries.place(n) in places))
            if not checks.expected:
                return Report(ended=True)
        return await run_strictly(checks, canaries.mixed_files(places), self._reference, self._open_box)


def _passed_places(checks: Checks, canaries: Canaries, report: Report) -> set[Place]:
    """The tests of which something passed."""
    said = report.by_function()
    functions = {name.partition("[")[0] for name in checks.expected} & said.keys()
    passing = (name for name in functions if any(check.status == "passed" for check in said[name]))
    return {place for place in map(canaries.place, passing) if place}


def _separating_sets(places: Sequence[Place]) -> Iterator[frozenset[Place]]:
    """Sets such that for any two places, one set holds the first and not the second.

    As few as there can be (Sperner): each place is in another half of the sets, and no half holds another.
    """
    size = 1
    while comb(size, size // 2) < len(places):
        size += 1
    halves = combinations(range(size), size // 2 or 1)
    members = list(zip(places, halves, strict=False))
    for at in range(size if places else 0):
        yield frozenset(place for place, half in members if at in half)
