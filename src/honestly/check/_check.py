"""A verdict on one change: its tests in both states, mutants at its lines, its words, and how honest its evidence is.

Everything of the change runs in sandboxes only. What code says of itself while it is tested is not believed: a suite
whose tests pass whatever they say lets every mutant live and passes its own contradictions, and both are on the page.
A run is a line of a journal, so that the same command goes on where it was stopped.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from time import monotonic

import anyio
import msgspec

from honestly._group import flat_group
from honestly.check._change import Change, shown_paths
from honestly.check._claim_tests import claim_tests
from honestly.check._claims import Facts, claim_results
from honestly.check._differences import compared_calls, functions_of
from honestly.check._honesty import honesty_remarks
from honestly.check._kept import KeptParts, Tell
from honestly.check._map import file_needs
from honestly.check._mutants import MutantTerms, mutants_of, tried_mutants, uncovered_lines
from honestly.check._records import Difference, MutantCounts, Remark, SuiteCounts, SuiteResults
from honestly.check._safety import safety_remarks
from honestly.check._structure import structure_remarks
from honestly.check._suite import FIRST_RUN, LinesRun, ProjectSuite, SuiteRun
from honestly.check._verdict import CheckResult
from honestly.check._write_tests import WrittenTests, written_tests
from honestly.errors import HonestlyError, SandboxError, SandboxUnavailableError, TaskError, VerifierError
from honestly.models import Model
from honestly.records import Edit, Hidden, Task, digest
from honestly.show import plural_text, shorten_middle
from honestly.taskgen import test_modules
from honestly.verify import verify

_BAD = ("failed", "error", "missing", "timeout")
_MOST_AGAIN = 80
_GUARDED, _GUARD_S, _NEAR_S = 15, 90.0, 60.0
_MISSING = re.compile(r"No module named|cannot import name")
_WARNED = re.compile(r"\w*Warning: [^\n]*")
_TOLERANT = "warnings that are no errors"
_STATES = {
    "new new": "tests after the change", "old old": "tests before it",
    "new old": "the new tests on the old code", "old new": "the old tests on the new code",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTerms:
    """The scope of a check."""

    mutants: int = 40
    seconds: float = 180.0
    """For mutants and compared calls."""
    jobs: int = 2
    seed: int = 0
    installed: bool = False
    """Whether packages were fetched, so that nobody is told to fetch them."""
    contradictions: bool = True
    """Whether some tests are also run when they say the opposite: that takes as long as fifteen runs of a few tests."""


async def check_change(
    change: Change, suite: ProjectSuite | str, terms: CheckTerms, kept: KeptParts, tell: Tell, again: str = ""
) -> CheckResult:
    """Check a change, and return everything that was found.

    Args:
        change: the change.
        suite: how its tests are run, or why they cannot be.
        terms: how much is done.
        kept: what was done before.
        tell: told what is being done.
        again: the command that checks it again.

    Raises:
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    start = monotonic()
    honesty, safety = await read_remarks(change, kept, tell)
    tests, mutants, seen, differences = SuiteResults(note=suite if isinstance(suite, str) else ""), None, None, None
    if isinstance(suite, ProjectSuite):
        tests, seen, mutants, differences = await _measured(change, suite, terms, kept, tell)
        suite = _tolerant_suite(suite, kept)
    uncovered = uncovered_lines(change, seen)
    structure = await kept.part("structure", list[Remark], partial(_ordered_remarks, structure_remarks, change))
    if mutants is not None and any("another process" in note for note in mutants.notes):
        uncovered = None
    claims = tuple(claim_results(Facts(change, tests, uncovered, differences, honesty)))
    return CheckResult(
        change=change, claims=claims, tests=tests, uncovered=uncovered, mutants=mutants, differences=differences,
        honesty=honesty, safety=safety, seconds=round(monotonic() - start, 1),
        again=again or f"honestly check {change.name}".strip(),
        notes=suite.notes if isinstance(suite, ProjectSuite) else (), structure=tuple(structure),
    )  # fmt: skip


async def read_remarks(change: Change, kept: KeptParts, tell: Tell) -> tuple[tuple[Remark, ...], tuple[Remark, ...]]:
    """What reading alone finds: how honest the evidence is, and whether the change is safe to merge."""
    found = []
    for area, remarks in (("honesty", honesty_remarks), ("safety", safety_remarks)):
        new = area not in kept
        found.append(await kept.part(area, list[Remark], partial(_ordered_remarks, remarks, change)))
        for each in found[-1] if new else ():
            if each.weight != "note":
                place = f" ({each.path})" if each.path else ""
                tell(f"{'found' if each.weight == 'against' else 'look'}: {each.what}{place}")
    return tuple(found[0]), tuple(found[1])


async def _ordered_remarks(remarks: Callable[[Change], Iterable[Remark]], change: Change) -> list[Remark]:
    return list(remarks(change))


async def more_tests(
    change: Change, suite: ProjectSuite, found: CheckResult, kept: KeptParts, tell: Tell, seed: int,
    model: Model | None = None,
) -> list[WrittenTests]:  # fmt: skip
    """Tests that notice what no test of a checked change noticed: without a model, and from the claim by a model."""
    survivors = {each.key for each in found.mutants.survivors} if found.mutants is not None else set[str]()
    mutants = [each for each in mutants_of(change) if each.key in survivors]
    functions, seen = functions_of(change, new=True), kept.value("lines", LinesRun | None)
    suite = _tolerant_suite(suite, kept)
    written = [await written_tests(change, suite, functions, seen, mutants, kept, tell, seed)]
    return written if model is None else [*written, await claim_tests(change, suite, mutants, model, kept, tell)]


Measured = tuple[SuiteResults, LinesRun | None, MutantCounts | None, tuple[Difference, ...] | None]


def _tolerant_suite(suite: ProjectSuite, kept: KeptParts) -> ProjectSuite:
    """The suite under which warnings are no errors, if that was needed to load any test at all."""
    warning = kept.value(_TOLERANT, str)
    note = f"its settings make warnings errors, and nothing could be loaded, before the change, too: {warning}"
    return suite if warning is None else replace(suite, tolerant=True, notes=(*suite.notes, note))


async def _measured(change: Change, suite: ProjectSuite, terms: CheckTerms, kept: KeptParts, tell: Tell) -> Measured:
    runs = _Runs(change, suite, terms, kept, tell)
    try:
        tests = await runs.results()
        for what, names in (("passed before, failing now", tests.broken), ("failing before, passing now", tests.fixed)):
            if names:
                tell(f"found: {plural_text(len(names), 'test')} {what}: {shown_paths(names, 2)}")
        suite = _tolerant_suite(suite, kept)
        if tests.after is None or not change.sources:
            return tests, None, None, None
        if suite.kind == "python":
            tell("finding which lines each test runs")
        functions, every = functions_of(change), functions_of(change, new=True)
        usual = runs.usual
        seen = await kept.part("lines", LinesRun | None, lambda: suite.lines(change, every, usual.hung))
        steady = [name for name, status in usual.statuses.items() if status == "passed" and name not in tests.flaky]
        if suite.kind == "python" and terms.contradictions:
            tell("running tests that say the opposite")
            guard = partial(_guarded, change, suite, seen, steady, tests, usual)
            count, signs = await kept.part("guarded", tuple[int, list[str]], guard)
            forged = tuple(f"the tested code meddles with its tests: {sign}" for sign in signs)
            tests = msgspec.structs.replace(tests, guarded=count, forged=forged)
        if tests.forged:
            tell(f"found: {tests.forged[0]}")
        limits = MutantTerms(terms.mutants, terms.seconds, terms.jobs)
        mutants = await tried_mutants(change, suite, steady, usual, seen, limits, kept, tell) if steady else None
        if functions:
            tell(f"calling {plural_text(len(functions), 'changed function')}, old against new")
        differences = await kept.part(
            "differences", list[Difference] | None, lambda: compared_calls(change, suite, functions, seen, terms.seed)
        )  # fmt: skip
        return tests, seen, mutants, None if differences is None else tuple(differences)
    except SandboxUnavailableError:
        raise
    except (SandboxError, VerifierError, TaskError) as error:
        return SuiteResults(note=f"the tests could not be run: {error}"[:400]), None, None, None


class _Runs:
    """Runs of tests of both states over the code of both."""

    def __init__(self, change: Change, suite: ProjectSuite, terms: CheckTerms, kept: KeptParts, tell: Tell) -> None:
        self._change, self._suite, self._kept, self._tell = change, _tolerant_suite(suite, kept), kept, tell
        self._limiter = anyio.CapacityLimiter(terms.jobs)
        self._same_tests = suite.test_part(change.before).files == suite.test_part(change.after).files
        self._found: dict[str, list[SuiteRun]] = {}
        self._limit, self._installed = 0.0, terms.installed

    @property
    def usual(self) -> SuiteRun:
        """A run of the tests after, over the code after."""
        return self._found["new new"][0]

    async def results(self) -> SuiteResults:
        """What the tests say."""
        change, suite = self._change, self._suite
        if not suite.has_tests(change.after) and not suite.has_tests(change.before):
            return SuiteResults(note="there are no tests; name the command that runs them with --test")
        await self._near()
        self._tell("running the tests after the change")
        await self._run("new new", backwards=False)
        self._limit = max(60.0, 6 * self.usual.seconds + 30)
        states = ["old old"] if suite.has_tests(change.before) else []
        if not self._same_tests:
            states += ["new old", *(["old new"] if states else [])]
        self._tell("running the tests before it, and each over the other's code")
        async with flat_group() as group:
            for state in states:
                group.start_soon(self._run, state, False)
            group.start_soon(self._run, "new new", True)
        if not any(run.passed for runs in self._found.values() for run in runs):
            if (warning := self._warning()) and not self._suite.tolerant:
                self._kept.keep(_TOLERANT, warning)
                self._suite, self._found = _tolerant_suite(suite, self._kept), {}
                return await self.results()
            return SuiteResults(note=_why_none(self.usual, installed=self._installed), runs=1)
        await self._again()
        return self._read_results()

    async def _run(self, state: str, backwards: bool, only: Sequence[str] = (), turn: int = 0) -> None:
        tests, code = (self._change.before if part == "old" else self._change.after for part in state.split())
        key = f"run {state} {turn} {backwards}{' tolerant' if self._suite.tolerant else ''}"

        async def run_suite() -> SuiteRun:
            hung = self.usual.hung if self._found.get("new new") and state == "new new" else ()
            return await self._suite.run_tests(
                tests, code, only=only, backwards=backwards, timeout_s=self._limit, hung=hung
            )

        async with self._limiter:
            found = await self._kept.part(key, SuiteRun, run_suite)
            self._found.setdefault(state, []).append(found)
            self._tell(f"{_STATES[state]}{' again' if turn else ''}: {_counted(found)}")

    async def _near(self) -> None:
        """Tells first what the tests say that the change touches, or that need its files; all are run after these."""
        change, suite, touched = self._change, self._suite, set(self._change.paths)
        runs = test_modules(change.after) if suite.language is None else filter(suite.language.runs, change.after.files)
        every, needs = list(runs), file_needs(change.after)
        near = [path for path in every if path in touched or not touched.isdisjoint(needs.get(path, ()))]
        if 0 < len(near) <= len(every) / 2 and suite.kind in ("python", "javascript") and FIRST_RUN not in self._kept:
            tests = partial(suite.run_tests, change.after, change.after, only=near, timeout_s=_NEAR_S)
            self._tell(f"tests near the change: {_counted(await self._kept.part('near', SuiteRun, tests))}")

    def _warning(self) -> str:
        """The warning that, as an error, kept all tests from being loaded, in the state before the change, too."""
        texts = ["\n".join((run.note, *run.messages.values())) for runs in self._found.values() for run in runs]
        found = [warned[0] for text in texts if (warned := _WARNED.search(text))]
        return found[0][:200] if self._suite.kind == "python" and len(found) == len(texts) else ""

    def _states(self, state: str) -> list[SuiteRun]:
        same = {"old new": "new new", "new old": "old old"} if self._same_tests else {}
        return self._found.get(same.get(state, state), [])

    async def _again(self) -> None:
        """Once more, in the opposite order, each test that does not do the same in all states."""
        names: dict[str, None] = {}
        for run in (each for runs in self._found.values() for each in runs):
            names |= dict.fromkeys(run.statuses)
        odd = [
            name
            for name in names
            if len({run.statuses.get(name) == "passed" for runs in self._found.values() for run in runs}) > 1
        ]
        if not odd or self._suite.kind == "command":
            return
        self._tell(f"{plural_text(len(odd), 'test')} that differ, again")
        some = odd[:_MOST_AGAIN]
        async with flat_group() as group:
            for state, runs in list(self._found.items()):
                there = [name for name in some if any(name in run.statuses for run in runs)]
                if there:
                    group.start_soon(self._run, state, True, there, 1)

    def _fate(self, name: str, state: str) -> str:
        """`passed`, `failed`, `flaky`, or empty where the test is not there or is skipped."""
        whole = self._states(state)[: 2 if state == "new new" or (self._same_tests and state == "old new") else 1]
        said = {run.statuses[name] for run in self._states(state) if name in run.statuses}
        if not said or said == {"skipped"}:
            return ""
        if any(name not in run.statuses for run in whole):
            said.add("missing")
        passed = "passed" in said
        return ("flaky" if said & set(_BAD) else "passed") if passed else "failed"

    def _read_results(self) -> SuiteResults:
        names = {state: dict.fromkeys(name for run in self._states(state) for name in run.statuses)
                 for state in ("old old", "old new", "new old", "new new")}  # fmt: skip
        both = list({**names["old old"], **names["new new"]})
        fate = {state: {name: self._fate(name, state) for name in both} for state in names}
        # A test that stands in the old files and is not reported over the new code was not run: it fails.
        for name in names["old old"]:
            if not fate["old new"][name] and fate["old old"][name] == "passed" and name not in names["old new"]:
                fate["old new"][name] = "failed"
        flaky = [name for name in both if "flaky" in (fate[state][name] for state in names)]
        hurt = [
            name
            for name in both
            if name not in flaky and fate["old old"][name] == "passed" and fate["old new"][name] == "failed"
        ]
        fresh = [
            name
            for name in both
            if name not in flaky and fate["new new"][name] == "failed" and fate["old old"][name] != "failed"
        ]
        broken = [
            name
            for name in hurt
            if fate["new new"][name] == "failed" or (not self._touched(name) and name not in names["new new"])
        ]
        failing = [name for name in fresh if name not in broken]
        gone = [
            name
            for name in names["old old"]
            if name not in names["new new"] and name not in broken and fate["old old"][name] == "passed"
        ]
        messages = {
            name: text
            for run in self._states("new new") + self._states("old new")
            for name, text in run.messages.items()
        }
        idle = {name for run in self._states("new old") for name, status in run.statuses.items() if status == "skipped"}
        fixed = [name for name in both if name not in flaky and name not in idle
                 and fate["new new"][name] == "passed" and fate["new old"][name] in ("failed", "")]  # fmt: skip
        known = {name.partition("::")[0] for name in names["old old"]}
        lost = [
            path
            for path in _unloaded(self._change, self._suite, self.usual)
            if path in known or path not in self._change.before.files
        ]
        return SuiteResults(
            before=_counts(fate["old old"], self._states("old old")),
            after=_counts(fate["new new"], self._states("new new")),
            flaky=tuple(flaky), fixed=tuple(fixed), broken=tuple(broken), failing=(*failing, *lost),
            rewritten=tuple(name for name in hurt if fate["new new"][name] == "passed"),
            deleted=tuple(name for name in gone if name in hurt),
            silenced=tuple(name for name in hurt if name in names["new new"] and not fate["new new"][name]),
            gone=tuple(name for name in gone if name not in hurt),
            failing_before=tuple(name for name in both if fate["old old"][name] == fate["new new"][name] == "failed"),
            messages={name: messages[name] for name in (*broken, *failing) if name in messages}
            | dict.fromkeys(lost, self.usual.note[:300]),
            runs=max(map(len, self._found.values())),
        )  # fmt: skip

    def _touched(self, name: str) -> bool:
        """Whether the change touches a test's own file, or one that many may take their tests from."""
        parts = (self._suite.test_part(tree) for tree in (self._change.before, self._change.after))
        modules = {*test_modules(self._change.before), *test_modules(self._change.after)}
        shared = {path for part in parts for path in part.files} - modules
        return name.partition("::")[0] in self._change.paths or not shared.isdisjoint(self._change.paths)


def _counted(run: SuiteRun) -> str:
    """How its tests ended, in words."""
    counts = Counter(run.statuses.values()).most_common()
    bad = [name for name, status in run.statuses.items() if status in _BAD]
    hung = f"; {len(run.hung)} hung and were stopped" if run.hung else ""
    said = ", ".join(f"{count} {status}" for status, count in counts) or "none"
    return f"{said}{hung}{f' ({shown_paths(bad, 2)})' if bad else ''}"


def _unloaded(change: Change, suite: ProjectSuite, run: SuiteRun) -> list[str]:
    """Files of tests that the change adds or touches, and none of whose tests could be loaded."""
    if suite.kind != "python":
        return []
    loaded = {name.partition("::")[0] for name in run.statuses}
    return [
        path for path in change.tests if path in change.after.files and path not in loaded and f"{path}:" in run.note
    ]


def _counts(fates: dict[str, str], runs: Sequence[SuiteRun]) -> SuiteCounts | None:
    if not runs:
        return None
    skipped = sum(status == "skipped" for status in runs[0].statuses.values())
    values = list(fates.values())
    return SuiteCounts(values.count("passed") + values.count("flaky"), values.count("failed"), skipped)


def _why_none(run: SuiteRun, *, installed: bool) -> str:
    if run.timed_out:
        return "the tests did not end in time"
    failed = next(iter(run.messages.values()), "")
    # What went wrong stands at the end of a traceback.
    why = shorten_middle(" ".join((run.note or failed or "no test was found").split()), 300, len)
    how = "; if something is missing, name an environment with --env, or say --install"
    if "process ended before" in why and not _MISSING.search(why):
        how = f"; pytest {version('pytest')} runs them here; name another with --test 'python3 -m pytest'"
    return f"no test passes here: {why}{'' if installed and '--install' in how else how}"


async def _guarded(
    change: Change,
    suite: ProjectSuite,
    seen: LinesRun | None,
    steady: Sequence[str],
    tests: SuiteResults,
    usual: SuiteRun,
) -> tuple[int, list[str]]:
    """How many of the old tests were also run with their contradictions, and signs that those passed, too.

    The state before proves the contradictions: it has to fail them.
    """
    if suite.kind != "python" or tests.before is None or usual.seconds > _GUARD_S / 3:
        return 0, []
    own = suite.test_part(change.before)
    known = [
        name
        for name in steady
        if name.partition("::")[0] in own.files and name not in tests.fixed and name not in tests.rewritten
    ]
    near = [
        name for name in known if seen is not None and any(path in change.paths for path in seen.lines.get(name, {}))
    ]
    expected = tuple(dict.fromkeys(name.partition("[")[0] for name in (near or known)))[:_GUARDED]
    if not expected:
        return 0, []
    checks = suite.checks_of(change.before, expected, max(60.0, 4 * usual.seconds))
    before = change.before.over(suite.made)
    task = Task(
        id="change",
        instruction="",
        workspace=before,
        hidden=Hidden(checks=checks, reference=Edit()),
        preparation=suite.preparation,
    )
    with anyio.move_on_after(_GUARD_S):
        try:
            verdict = await verify(task, suite.made.over(change.after), seed=1, open_box=suite.open_box)
        except SandboxUnavailableError:
            raise
        except HonestlyError:  # no contradictions could be proved: nothing is known of this, and nothing is said
            return 0, []
        return len(expected), list(verdict.tampered)
    return 0, []


def folder_name(change: Change) -> str:
    """A name for what is kept of a check: the same for the same change and words."""
    return digest("check", change.before.hash, change.after.hash, change.messages, change.last_words, change.asked)[:24]
