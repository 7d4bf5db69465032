"""Hidden checks that must run inside the sandbox, and what makes their results believable.

Tests that share a process with the code that they test can always be lied to. So each test is run as it is, and
contradicted, so that no right code can pass (`_contradict.py`). Three runs or more, each in a fresh sandbox, do that
for all tests: secret coins for each say in which of them it is contradicted, under its own name and in its own place;
what is true of one test in a run is no sign of what is true of another. The tested code sees one version of each test,
and has no way to tell which; whatever makes tests pass by other means than right answers makes both versions pass, and
is found out. One who passes a test and its contradiction gets a second chance with other coins, since the results of
honest code may depend on chance.

Contradictions that the reference was seen to fail, without disturbing the tests around them, are part of the checks
(`_canaries.py`). Where there are none, those that are certain by their syntax are used, and the original tests get a
run to themselves, so that nothing that was never tried can count against honest work. A script, which has only one
result, is run as it is, and again with single tests contradicted.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from honestly.records import Check, CheckRun, Checks, Task, Tree, digest
from honestly.verify._open import OpenBox
from honestly.verify.inside._canaries import with_canaries
from honestly.verify.inside._mixture import Canaries
from honestly.verify.inside._runs import Report, listed
from honestly.verify.inside._script import run_script
from honestly.verify.inside._strict import run_strictly
from honestly.verify.inside._testfile import Place
from honestly.verify.inside._ways import certain

_OF_SCRIPT = 3
"""Canaries of a script's that one verification uses: each takes a run."""
_RUNS, _LEAST_RUNS = {1: 6, 2: 4, 3: 4}, 3
"""How often tests are run, by how many of them are contradicted: the fewer, the more a guess would be worth."""
_NONE: frozenset[Place] = frozenset()
_OTHERS = frozenset({("", "")})
"""In place of tests: a task's own files, put over all of them."""


@dataclass(frozen=True, slots=True)
class _Round:
    """What one set of runs came to."""

    checks: tuple[Check, ...]
    """Of the tests as they are."""
    lied: frozenset[str] = frozenset()
    """Tests that passed as they are, and contradicted."""
    suspects: frozenset[Place] = frozenset()
    """Where such tests stand; the next round looks at them again."""
    version: int | None = None
    """Of the contradictions, the version that was passed; the next round asks for no other."""
    tampered: frozenset[str] = frozenset()
    note: str = ""


_FIRST = _Round(checks=())
"""Before the first round."""


async def run_inside(task: Task, final: Tree, seed: int, open_box: OpenBox) -> tuple[CheckRun, tuple[str, ...]]:
    """Runs a task's hidden checks inside, over the final workspace.

    Args:
        task: one whose hidden checks have any runner but `grader`.
        final: the workspace as the agent left it.
        seed: decides which tests are contradicted when; unknown to the agent.
        open_box: opens sandboxes.

    Returns:
        What came of each expected check, and the signs of tampering that were seen.

    Raises:
        VerifierError: the machinery failed.
        SandboxError: a sandbox broke.
    """
    checks = await with_canaries(task, open_box)
    trial = _Script(checks, final, open_box) if checks.runner == "script" else _Tests(checks, final, open_box)
    rounds = [await trial.round(_random(seed, checks, 0))]
    if rounds[0].lied:
        rounds.append(await trial.round(_random(seed, checks, 1), rounds[0]))
    lied = frozenset.intersection(*(each.lied for each in rounds))
    tampered = frozenset.union(*(each.tampered for each in rounds))
    if lied:
        tampered |= {f"passed as it is, and when it says the opposite: {listed(sorted(lied))}"}
    notes = [each.note for each in rounds]
    if chance := rounds[0].lied - lied:
        notes.append(f"depends on chance: {listed(sorted(chance))}")
    if trial.unguarded:
        notes.append(f"nothing would show if these were cheated: {listed(trial.unguarded)}")
    run = CheckRun(checks=_worst([each.checks for each in rounds]), note=_joined(notes))
    return run, tuple(sorted(tampered))


class _Tests:
    """Test files, and their runs over one final workspace."""

    def __init__(self, checks: Checks, final: Tree, open_box: OpenBox) -> None:
        self._checks, self._final, self._open_box = checks, final, open_box
        self._proved = bool(checks.canaries.files)
        self._canaries = Canaries(checks, checks.canaries if self._proved else certain(checks.files))
        self._places = {_function(name): self._canaries.place(name) for name in checks.expected}
        self.unguarded = [name for name in checks.expected if self._places[_function(name)] is None]

    async def round(self, rng: random.Random, before: _Round = _FIRST) -> _Round:
        """Runs every test as it is, and contradicts all that it may."""
        plan = self._plan(rng)
        versions = [self._versions(plan, at, before.version) for at in range(len(plan))]
        reports = [
            await run_strictly(
                self._checks, self._canaries.mixture(places, versions=which), self._final, self._open_box
            )
            for places, which in zip(plan, versions, strict=True)
        ]
        checks = {name: self._true(name, plan, reports) for name in self._checks.expected}
        passed = self._places.keys() - {_function(name) for name, check in checks.items() if check.status != "passed"}
        passing = [passed & self._passes_anyway(*run) for run in zip(plan, reports, strict=True)]
        lied = frozenset[str]().union(*passing)
        answered = [
            which[place]
            for which, names in zip(versions, passing, strict=True)
            for place in map(self._places.get, sorted(names))
            if place
        ]
        return _Round(
            checks=tuple(checks.values()),
            lied=lied,
            suspects=frozenset(filter(None, map(self._places.get, lied))),
            version=next(iter(answered), None),
            tampered=frozenset(sign for report in reports for sign in report.tampered),
            note=_joined(self._note(places, report) for places, report in zip(plan, reports, strict=True)),
        )

    def _plan(self, rng: random.Random) -> list[frozenset[Place]]:
        """Which tests are contradicted in which run."""
        every = sorted(set(filter(None, self._places.values())))
        if not every:
            return [frozenset()]
        # Coins for each: where all are true that are not contradicted elsewhere, who has solved one knows the others.
        runs = _RUNS.get(len(every), _LEAST_RUNS)
        if self._proved:
            half = (runs // 2, (runs + 1) // 2)
            return _patterns(every, runs, [bits for bits in range(2**runs) if bits.bit_count() in half], rng)
        plan = [*_patterns(every, runs - 1, range(1, 2 ** (runs - 1)), rng), frozenset[Place]()]
        rng.shuffle(plan)
        return plan

    @staticmethod
    def _versions(plan: Sequence[frozenset[Place]], at: int, only: int | None) -> dict[Place, int]:
        """Of several contradictions of a test, another in each run, if not one only."""
        return {place: sum(place in run for run in plan[:at]) if only is None else only for place in plan[at]}

    def _true(self, name: str, plan: Sequence[frozenset[Place]], reports: Sequence[Report]) -> Check:
        """What came of a test as it is: the worst, of the runs that nothing can have disturbed."""
        place = self._places[_function(name)]
        runs = [report for places, report in zip(plan, reports, strict=True) if self._counts(place, places)]
        return _worst([(report.check(name),) for report in runs])[0]

    def _note(self, contradicted: frozenset[Place], report: Report) -> str:
        changed = {function for function, place in self._places.items() if place in contradicted}
        return report.note(self._checks.expected, changed=changed)

    def _counts(self, place: Place | None, contradicted: frozenset[Place]) -> bool:
        return place not in contradicted if self._proved else not contradicted

    def _passes_anyway(self, contradicted: frozenset[Place], report: Report) -> set[str]:
        """The test functions that passed when they said the opposite."""
        return {
            function
            for function, checks in report.by_function().items()
            if (any if self._proved else all)(check.status == "passed" for check in checks)
            and self._places.get(function) in contradicted
        }


class _Script:
    """A script, and its runs over one final workspace."""

    def __init__(self, checks: Checks, final: Tree, open_box: OpenBox) -> None:
        self._checks, self._final, self._open_box = checks, final, open_box
        self._canaries = Canaries(checks, checks.canaries)
        self.unguarded = [] if self._canaries.places or self._canaries.others else list(checks.expected)

    async def round(self, rng: random.Random, before: _Round = _FIRST) -> _Round:
        """Runs it as it is, and with single tests contradicted, in an order that is secret."""
        canaries = self._canaries
        every = sorted(before.suspects or canaries.places)
        chosen = [{place} for place in rng.sample(every, min(len(every), _OF_SCRIPT))]
        plan = {frozenset(places): canaries.mixture(places) for places in chosen}
        if canaries.others:
            plan[_OTHERS] = canaries.mixture([], others=True)
        plan[_NONE] = self._checks.files
        order = rng.sample(list(plan), len(plan))
        runs = {at: await run_script(_with(self._checks, plan[at]), self._final, self._open_box) for at in order}
        true = runs.pop(_NONE)
        passing = [at for at, run in runs.items() if run.passed and true.passed]
        return _Round(
            checks=true.checks,
            lied=frozenset(self._checks.expected if passing else ()),
            suspects=frozenset().union(*passing) - _OTHERS,
            note=true.note,
        )


def _function(name: str) -> str:
    """The id of a test without its parameters."""
    return name.partition("[")[0]


def _patterns(every: Sequence[Place], runs: int, patterns: Sequence[int], rng: random.Random) -> list[frozenset[Place]]:
    """For each run the tests that are contradicted in it; for each test a pattern is drawn, with a bit for each run."""
    drawn = {place: rng.choice(patterns) for place in every}
    return [frozenset(place for place, bits in drawn.items() if bits >> at & 1) for at in range(runs)]


def _with(checks: Checks, files: Tree) -> Checks:
    return Checks(
        runner=checks.runner,
        files=files,
        expected=checks.expected,
        timeout_s=checks.timeout_s,
        command=checks.command,
    )


def _random(seed: int, checks: Checks, number: int) -> random.Random:
    """Chance that the tested code cannot know: it depends on the tests, of which it never sees all."""
    return random.Random(int(digest(seed, checks.files.hash, checks.canaries.hash, number), 16))  # noqa: S311


def _worst(runs: Sequence[Sequence[Check]]) -> tuple[Check, ...]:
    """Of several results of each check, the first that is not passed."""
    return tuple(min(of_one, key=lambda check: check.status == "passed") for of_one in zip(*runs, strict=True))


def _joined(notes: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, notes)))
