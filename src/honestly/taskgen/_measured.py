"""Which tests fail before a commit and pass after it: measured by running them several times in both states.

Every other run has the tests in the opposite order. A test is flaky if it does not do the same in all runs of a state,
whichever it is; what it depends on (time, chance, order, leftovers) is not looked for.
"""

import json
import platform
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace as replaced
from itertools import chain

import anyio
from msgspec.structs import replace

from honestly.records import Checks, Preparation, Tree
from honestly.sandbox import cpu_seconds
from honestly.taskgen._built import REBUILD
from honestly.taskgen._fewer import fewer_tests, is_test_of, nearest_files, tests_in
from honestly.taskgen._languages import (
    Chosen,
    Language,
    hidden_checks,
    opposite_checks,
    test_paths,
    visible_checks,
    wanted_files,
)
from honestly.taskgen._needs import ALL
from honestly.taskgen._settings import bare_settings
from honestly.taskgen._split import is_a_test, language_of
from honestly.verify import OpenBox, SeenTests, see_tests

_ONE_S = 90.0
_ONE_BUILT_S = 120.0
"""The same where tests are compiled first."""
_ROUNDS_S = 45.0
"""Seconds after which no further round begins, once there were two."""
_VISIBLE_S = 6.0
"""Processor time of a run of all visible tests above which only those of the files that a commit touches are shown."""
_VISIBLE_TRY_S = 20.0
"""The most that such a run may take by the clock."""
_WATCH_S, _PATIENCE = 0.5, 20.0
_ALONE_S = 2.0
"""Processor time of a run above which two at once take more of it each than one after the other."""
_MOST_FILES = 60
_SETTINGS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_MARKS = {"pyproject.toml": b"[tool.pytest", "tox.ini": b"[pytest]", "setup.cfg": b"[tool:pytest]"}
_HOLDS_TESTS = re.compile(rb"\bdef test|\bclass Test|TestCase\b")
_POINTS = ".egg-info/entry_points.txt"
"""Where a project that is a plug-in of pytest's says so."""
_NETWORK = re.compile(
    r"name resolution|name or service not known|network is unreachable|nodename nor servname|getaddrinfo|no route to "
    r"host|failed to resolve|max retries exceeded|gaierror|urlopen error|temporary failure in name|\bENOTFOUND\b|"
    r"\bpip3?\b['\", ]+install\b|no matching distribution found|could not find a version that satisfies|"
    r"\bEAI_AGAIN\b|\bENETUNREACH\b|\bdial (?:tcp|udp)\b|fetch failed|could not resolve host|unable to access '?http",
    re.IGNORECASE,
)
_NO_MEMORY = re.compile(r"ran out of memory|\bMemoryError\b|\bbad_alloc\b|Cannot allocate memory")
_MODULE = re.compile(r"(?:No module named|Cannot find (?:module|package)) '?([\w.@/-]+)'?")
_LIBRARY_LACKS = re.compile(
    r"module '(\w+)(?:\.\w+)*' has no attribute '(\w+)'|cannot import name '(\w+)' from '(\w+)(?:\.\w+)*'"
)
_PLUGIN_LACKS = re.compile(
    r"fixture '\w+' not found|unrecognized arguments|not found in `markers`|Unknown (?:config option|pytest\.mark)|"
    r"Missing required plugins|async def functions are not natively supported|Error importing plugin"
)
"""What pytest says where a plug-in is missing."""
_PARAMETERS = re.compile(r"\bdef \w+\(([^()]*)")
_ONE_OF = 15
"""A run of the tests fits where it takes at most one of so many parts of what a commit may take in all."""
_FIRST_OF = 3
"""The same of a first run, of which some may be chosen."""
_SPARE = 0.5
_SLOWEST = re.compile(r"^slowest: (\[.*\])$", re.MULTILINE)
_ROUNDS_OF = 6
"""The same of all rounds, after which no further one begins."""
_LEFT_RUNS, _LEFT_PYTHON_RUNS = 6, 12
"""Runs of hidden tests that come after the visible ones were looked at: the proof, and again where it was disturbed."""


@dataclass(frozen=True, slots=True)
class Way:
    """A run of tests, the checks that were run, and what is left out of them."""

    seen: SeenTests
    checks: Checks
    why: str
    """Why none of that will do; empty if it does."""
    cpu_s: float
    """Processor time of this one run."""
    chosen: Chosen | None = None
    """The tests that are left, where all would take too long."""
    whole_s: float = 0.0
    """Processor time of a run of all, in that case."""
    left_out: tuple[str, ...] = ()
    offline: tuple[str, ...] = ()
    """Those that are left out since they need the network."""


@dataclass(frozen=True, slots=True)
class MeasuredCommit:
    """The results of the tests of a commit, before it and after it."""

    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    rounds: int = 0
    refused: str = ""
    hidden: Checks | None = None
    """The commit's tests, those that are steady and pass after it."""
    visible: Checks | None = None
    """The parent's tests, those that pass before and after it."""
    left_out: tuple[str, ...] = ()
    """Tests that were not measured, since a run of all takes too long."""
    left_note: str = ""
    """The same in words."""
    offline: tuple[str, ...] = ()
    """Tests that need the network."""
    untold: tuple[str, ...] = ()
    """Tests that ask for what nobody can know."""

    @property
    def left_notes(self) -> tuple[str, ...]:
        """What is left out, and why."""
        reasons = {"they need the network": self.offline, "nobody can know what they ask for": self.untold}
        said = (f"left out, since {why}, are {listed_names(names)}" for why, names in reasons.items() if names)
        return tuple(filter(None, (self.left_note, *said)))


@dataclass(frozen=True, slots=True)
class States:
    """The files before and after a commit."""

    before: Tree
    after: Tree
    solved: Tree
    """Those before it, with all that it changes but the tests."""
    touched: tuple[str, ...]
    """The tests that it touches."""
    preparation: Preparation
    language: Language | None = None
    """Of the tests; None for Python."""


async def measured_commit(
    states: States, open_box: OpenBox, runs: int, tell: Callable[[str], None], seconds: float, way: Way | None = None
) -> MeasuredCommit:
    """Runs the tests of a commit before and after it; where all take too long, those that it changes or names.

    Raises:
        VerifierError: pytest is not installed.
        SandboxError: a sandbox broke.
    """
    begun, way = cpu_seconds(), way or await first_way(states, open_box, seconds)
    way = await _fitting_way(way, states, open_box, seconds)
    if way.why:
        return MeasuredCommit(refused=way.why)
    hidden, left_runs = way.checks, _LEFT_RUNS if states.language is not None else _LEFT_PYTHON_RUNS
    start, spent, before, after = time.monotonic(), cpu_seconds(), list[SeenTests](), [way.seen]
    places = anyio.CapacityLimiter(1 if way.cpu_s > _ALONE_S else 2)
    for number in range(runs):
        tell(f"run {number + 1} of {runs}")

        async def see(final: Tree, into: list[SeenTests], backwards: bool = number % 2 == 1) -> None:
            async with places:
                seen = await see_tests(hidden, final, states.preparation, open_box, hidden=True, backwards=backwards)
            into.append(seen)

        async with anyio.create_task_group() as group:
            group.start_soon(see, states.before, before)
            if number:
                group.start_soon(see, states.solved, after)
        always = frozenset.intersection(*(seen.passed for seen in after))
        hopeless = always <= frozenset.union(*(seen.passed for seen in before))  # and stays so in later rounds
        long = time.monotonic() - start > _ROUNDS_S or cpu_seconds() - spent > seconds / _ROUNDS_OF
        long |= seconds - (cpu_seconds() - begun) < (2 + 1 + left_runs) * way.cpu_s  # a round, the guard, the proof
        if hopeless or (number and long):
            break
    if any(seen.timed_out for seen in after):
        return MeasuredCommit(rounds=len(before), refused=f"its tests take more than {hidden.timeout_s:g} s")
    names = list(dict.fromkeys(name for seen in (*after, *before) for name in seen.checks))
    ever = frozenset.union(*(seen.passed for seen in after))
    never = frozenset(names) - frozenset.union(*(seen.passed for seen in before))
    steady = frozenset.intersection(*(seen.passed for seen in before))
    flaky = (ever - always) | (always - never - steady)
    known, fresh = {name for seen in before for name in seen.checks}, [name for name in names if name in always & never]
    fail_to_pass = tuple(name for name in fresh if not _named_by_place(name, known, list(after[0].checks)))
    pass_to_pass = tuple(name for name in names if name in always & steady)
    found = MeasuredCommit(fail_to_pass, pass_to_pass, tuple(name for name in names if name in flaky), len(before))
    if not fail_to_pass:
        why = f"pytest names its tests by places in what it adds, which nobody can know: {fresh[0]}" if fresh else ""
        why = why or _why_none(after[0], found, hidden.runner)
        return MeasuredCommit(flaky=found.flaky, rounds=found.rounds, refused=why)
    took = time.monotonic() - start
    wanted = replace(
        hidden, expected=(*fail_to_pass, *pass_to_pass), timeout_s=max(60.0, min(600.0, 10 * took / len(before)))
    )
    tell("visible tests")
    guarded = await _guarded_checks(wanted, states, open_box)
    rest = seconds - (cpu_seconds() - begun) - left_runs * way.cpu_s
    return replaced(found, hidden=guarded, visible=await _visible_tests(states, open_box, way, rest),
                    left_out=way.left_out, left_note=_left_note(way),
                    offline=tuple(dict.fromkeys([*way.offline, *_offline_tests(after[0])])))  # fmt: skip


def _named_by_place(name: str, known: Collection[str], names: Sequence[str]) -> bool:
    """Whether pytest calls a test by its place (`test_it[row3]`) in rows that the tested code has, and had before."""
    test, _, values = name.partition("[")
    alike = [each for each in names if each.startswith(f"{test}[")]
    place = rf"(?:^|-)[A-Za-z_]\w*?{alike.index(name)}(?=-|\]$)" if values else r"(?!)"
    return name not in known and any(each in known for each in alike) and re.search(place, values) is not None


async def first_way(states: States, open_box: OpenBox, seconds: float) -> Way:
    """A first run of a commit's tests, after it; see `best_way`."""
    hidden = _hidden_tests(states)
    fewer = next(fewer_tests(states.before, states.after, states.touched, _test_paths(states), states.language), None)
    return await _limited_way(hidden, states, open_box, seconds / _FIRST_OF if fewer else seconds)


async def _limited_way(checks: Checks, states: States, open_box: OpenBox, seconds: float) -> Way:
    """The best way to run tests, found within some processor time."""
    async with limited_cpu(seconds):
        return await best_way(checks, states.solved, states.preparation, open_box)
    late = SeenTests({}, "", timed_out=True, whole=True)
    return Way(late, checks, f"its tests take more than {seconds:g} s of CPU", seconds)


async def _fitting_way(way: Way, states: States, open_box: OpenBox, seconds: float) -> Way:
    """The same run, where it fits; or one of fewer tests."""
    done = way.seen.whole and not way.seen.timed_out
    if done and (way.cpu_s <= seconds / _ONE_OF or _starts_slowly(way)):
        return way
    best, slow = way, _slow_tests(way, seconds)
    paths, which = _test_paths(states), states.language
    offline = _offline_names(way.seen, states, paths)
    all_tests = [{path: list(tests_in(path, states.after, which)) for path in paths}] if offline else []
    for some in chain(all_tests, fewer_tests(states.before, states.after, states.touched, paths, which, slow)):
        online = {path: [name for name in names if (path, name) not in offline] for path, names in some.items()}
        chosen = {path: names for path, names in online.items() if names}
        if not chosen:
            continue
        if which is not None:
            checks = hidden_checks(which, states.after, states.touched, _ONE_BUILT_S, chosen=chosen)
        else:
            names = [f"{path}::{name}" for path, some in chosen.items() for name in some]
            checks = replace(way.checks, expected=tuple(names))
        fewer = await _limited_way(checks, states, open_box, seconds / _FIRST_OF)
        if fewer.why or (best.chosen and fewer.cpu_s >= best.cpu_s):
            continue
        away = {each: any(is_test_of(each, *test, which) for test in offline) for each in way.seen.checks}
        left_out = tuple(name for name, is_away in away.items() if not is_away and name not in fewer.seen.checks)
        left_out = left_out or (() if offline else ("all others in these files",))
        best = replaced(fewer, chosen=chosen, whole_s=way.cpu_s, left_out=left_out)
        best = replaced(best, offline=tuple(name for name, is_away in away.items() if is_away))
        if fewer.cpu_s <= seconds / _ONE_OF:
            break
    return best if way.why or best.cpu_s < way.cpu_s / 2 else way


def _offline_tests(seen: SeenTests) -> list[str]:
    """The tests that say that they need the network."""
    failed = ((name, check.message) for name, check in seen.checks.items() if check.status in ("failed", "error"))
    return [name for name, message in failed if _NETWORK.search(message)]


def _offline_names(seen: SeenTests, states: States, paths: Sequence[str]) -> set[tuple[str, str]]:
    """The tests, by file and name, that need the network: those that say so, and those that were not seen to pass and
    take a parameter, which is a fixture, that only such tests take.
    """
    said, found = _offline_tests(seen), set[tuple[str, str]]()
    for path in paths if said else ():
        tests = tests_in(path, states.after, states.language)
        words = {name: " ".join(_PARAMETERS.findall(text)) for name, text in tests.items()}
        fixtures = {name: set(re.findall(r"\w+", text)) - {"self"} for name, text in words.items()}
        bad, good = (
            {name for name in tests if any(is_test_of(each, path, name, states.language) for each in some)}
            for some in (said, seen.passed)
        )
        only = set().union(*(fixtures[name] for name in bad - good)) - set().union(*(fixtures[name] for name in good))
        found |= {(path, name) for name in tests if name in bad or (name not in good and fixtures[name] & only)}
    return found


def _slow_tests(way: Way, seconds: float) -> list[str]:
    """The slowest tests of a run, so many that the others fit; none where nobody says how long each takes."""
    found, left = list[str](), way.cpu_s
    for name, took in _said_slow(way):
        if left <= _SPARE * seconds / _ONE_OF:
            return found
        found, left = [*found, name], left - took
    return []


def _said_slow(way: Way) -> list[tuple[str, float]]:
    """The slowest tests, and how many seconds each took, where the runner says so."""
    said = _SLOWEST.search(way.seen.note)
    return [(str(name), float(took)) for name, took in json.loads(said[1])] if said else []


def _starts_slowly(way: Way) -> bool:
    """Whether what takes long is not the tests, but to start them, so that fewer of them take as long."""
    return _SLOWEST.search(way.seen.note) is not None and sum(took for _, took in _said_slow(way)) < way.cpu_s / 3


def _left_note(way: Way) -> str:
    if not way.left_out:
        return ""
    return (
        f"{len(way.seen.checks)} of its tests are run; left out, since a run of all takes {way.whole_s:.0f} s of CPU, "
        f"are {listed_names(way.left_out)}"
    )


def _test_paths(states: States) -> list[str]:
    """The files of the tests that are measured."""
    if states.language is not None:
        return wanted_files(states.language, states.after, states.touched)
    return [name for name in _hidden_tests(states).expected if name in states.after.files]


@asynccontextmanager
async def limited_cpu(seconds: float) -> AsyncIterator[None]:
    """Lets a block of work go on until its sandboxes have had so many seconds of processor time; then it is left.

    However busy the machine is, work that was not let run has not used its time up. Work that only waits ends, too,
    after many times as long by the clock.
    """

    async def watch(scope: anyio.CancelScope) -> None:
        start = cpu_seconds()
        while cpu_seconds() - start < seconds:  # noqa: ASYNC110 - nobody tells us
            await anyio.sleep(_WATCH_S)
        scope.cancel()

    with anyio.move_on_after(_PATIENCE * seconds):
        async with anyio.create_task_group() as group:
            group.start_soon(watch, group.cancel_scope)
            yield
            group.cancel_scope.cancel()


def lacking_modules(seen: SeenTests) -> set[str]:
    """The modules that tests report as missing."""
    words = [check.message for check in seen.checks.values() if check.status in ("failed", "error")]
    text = "\n".join([*words, seen.note])
    found = {name.partition(".")[0] for name in _MODULE.findall(text)}
    return found | ({ALL} if _PLUGIN_LACKS.search(text) else set())


def ran_out_of_memory(seen: SeenTests) -> bool:
    """Whether memory ran out in a run of tests."""
    failed = (check.message for check in seen.checks.values() if check.status in ("failed", "error"))
    return _NO_MEMORY.search("\n".join([*failed, seen.note])) is not None


def modules_too_new(seen: SeenTests) -> set[str]:
    """The modules, none of Python's own, of which tests want what is there no more."""
    words = [check.message for check in seen.checks.values() if check.status in ("failed", "error")]
    rows = _LIBRARY_LACKS.findall("\n".join([*words, seen.note]))
    return {module or other for module, _, _, other in rows} - set(sys.stdlib_module_names)


async def _guarded_checks(checks: Checks, states: States, open_box: OpenBox) -> Checks:
    """Checks of another language than Python, with tests that say the opposite, where the reference fails those."""
    turned = opposite_checks(states.language, checks) if states.language is not None else Tree()
    if not turned.files:
        return checks
    other = replace(checks, files=turned.over(checks.files))
    seen = await see_tests(other, states.solved, states.preparation, open_box, hidden=True)
    failed = {name for name, check in seen.checks.items() if check.status == "failed"}
    return replace(checks, canaries=turned) if failed & set(checks.expected) else checks


def _hidden_tests(states: States) -> Checks:
    """All tests of the files that a commit touches; of data, helpers and cases, those beside, below or naming them."""
    after = states.after
    if states.language is not None:
        return hidden_checks(states.language, after, states.touched, _ONE_BUILT_S)
    there, modules = [path for path in states.touched if path in after.files], test_modules(after)
    held = {path for path in there if path in modules or _HOLDS_TESTS.search(after.files[path].data)}
    wanted = [path for path in there if path in held and _pytest_collects(path)]
    helpers = [path for path in there if path not in wanted]
    if helpers and (not wanted or any(path.endswith(".py") for path in helpers)):
        tops = {path.partition("/")[0] for path in helpers}
        wanted += [path for path in modules if path.partition("/")[0] in tops and path not in wanted]
    cases = {path.rpartition("/")[2].removesuffix(".py").encode() for path in wanted if path not in modules}
    others = [path for path in modules if cases and path not in wanted]
    wanted += [path for path in others if cases & set(re.findall(rb"\w+", after.files[path].data))]
    files = after.only({*test_files(after).files, *states.touched})
    expected, builds = tuple(wanted[:_MOST_FILES]), f"{REBUILD}py" in files.files
    return Checks(runner="pytest", files=files, expected=expected, timeout_s=_ONE_S, writable=builds)


def test_files(tree: Tree) -> Tree:
    """Python files of tests, and what pytest is told in settings."""
    files = {path for path in tree.files if is_a_test(path) and path.endswith(".py")}
    files |= {name for name in _SETTINGS if name in tree.files and _MARKS.get(name, b"") in tree.files[name].data}
    files |= {path for path, file in tree.files.items() if path.endswith(_POINTS) and b"[pytest11]" in file.data}
    files |= {path for path in tree.files if path.rpartition("/")[2] == "conftest.py" or path.startswith(REBUILD)}
    return tree.only(files)


def _pytest_collects(path: str) -> bool:
    """Whether pytest would look for tests in a file."""
    name = path.rpartition("/")[2]
    return language_of(path) == "python" and name.endswith(".py") and name not in ("__init__.py", "conftest.py")


def test_modules(tree: Tree) -> list[str]:
    """Files in which pytest looks for tests."""
    named = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests?)\.py$")
    return sorted(path for path in tree.files if named.search(path) and tree.files[path].mode != "link")


async def best_way(hidden: Checks, final: Tree, preparation: Preparation, open_box: OpenBox) -> Way:
    """A first run of tests that should pass; where not all do, in other ways, of which the best is kept."""
    own = replace(hidden, files=bare_settings(hidden.files))
    ways = [own, replace(own, writable=True), replace(hidden, writable=True, files=hidden.files.without(_SETTINGS))]
    best: Way | None = None
    for checks in ways if hidden.runner == "pytest" else [hidden]:
        start = cpu_seconds()
        seen = await see_tests(checks, final, preparation, open_box, hidden=True)
        if best is None or len(seen.passed) > len(best.seen.passed):
            best = Way(seen, checks, "", cpu_seconds() - start)
        if seen.timed_out or (seen.passed and len(seen.passed) == len(seen.checks)):
            break
    assert best is not None
    seen, why = best.seen, ""
    if seen.timed_out:
        why = f"its tests take more than {hidden.timeout_s:g} s"
    elif not seen.whole:
        why = "its tests are too many for one run"
    elif not seen.passed:
        why = _why_none(seen, MeasuredCommit(), hidden.runner)
    return replaced(best, why=why)


def _why_none(after: SeenTests, found: MeasuredCommit, runner: str = "pytest") -> str:
    """Why no test fails before a commit and passes after it."""
    failed = [f"{name}: {check.message}" for name, check in after.checks.items() if check.status in ("failed", "error")]
    said = " ".join([*failed, after.note])
    if _NETWORK.search(said):
        shown = next((line for line in failed if _NETWORK.search(line)), after.note)
        return f"its tests need the network, which a sandbox does not give: {shown[:200]}"
    if ran_out_of_memory(after):
        return f"its tests run out of memory: {next(filter(_NO_MEMORY.search, (*failed, after.note)))[:300]}"
    if found.flaky:
        return f"no steady test fails before it and passes after it; flaky are {', '.join(found.flaky[:3])}"
    if found.pass_to_pass:
        idle = [check.message for check in after.checks.values() if check.status == "skipped"]
        others = f"; {len(failed)} fail after it here: {failed[0][:200]}" if failed else ""
        others += f"; {len(idle)} are skipped here: {idle[0][:100]}" if idle else ""
        return f"no test fails before it: all {len(found.pass_to_pass)} that pass after it pass before it, too{others}"
    if missing := _MODULE.search(said):
        return f"its tests need the module {missing[1]!r}, which nothing that the project declares gives here"
    for words in _LIBRARY_LACKS.finditer(said):
        module, name = words[1] or words[4], words[2] or words[3]
        if module in sys.stdlib_module_names:
            return f"its code is for another Python than {platform.python_version()}, where {module} has no {name}"
    if not after.checks:
        said = f": {after.note[-300:]}" if after.note else ""
        version = f" (Python {platform.python_version()})" if runner == "pytest" else ""
        return f"its test files hold no test that can be loaded here{version}{said}"
    skipped = sum(check.status == "skipped" for check in after.checks.values())
    why = failed[0][:200] if failed else f"{skipped} are skipped" if skipped else after.note[:200]
    return f"none of its {len(after.checks)} tests passes after it here: {why}"


async def _visible_tests(states: States, open_box: OpenBox, way: Way, rest: float) -> Checks | None:
    """The parent's tests that pass before and after the commit, as the agent would run them; None if there are none."""
    shown, start = list(_showable_tests(states, way)), cpu_seconds()
    for at, checks in enumerate(shown):
        size = len(checks.expected) + len(checks.command)
        fewer = any(len(other.expected) + len(other.command) < size for other in shown[at:])
        tried = replace(checks, timeout_s=_VISIBLE_TRY_S) if fewer else checks
        seen, begun = list[SeenTests](), cpu_seconds()
        for tree, backwards in ((states.before, False), (states.solved, True), (states.solved, False)):
            seen.append(await see_tests(tried, tree, states.preparation, open_box, hidden=False, backwards=backwards))
            took = (cpu_seconds() - begun) / len(seen)
            too_much = (4 - len(seen)) * took > rest + start - cpu_seconds()  # the proof runs them once more
            slow = too_much or (fewer and len(seen) == 1 and took > _VISIBLE_S)
            if seen[-1].timed_out or not seen[-1].passed or slow:
                break
        else:
            passed = frozenset.intersection(*(each.passed for each in seen))
            expected = tuple(name for name in seen[0].checks if name in passed)
            if expected:
                return replace(checks, expected=expected, timeout_s=120.0)
    return None


def _showable_tests(states: States, way: Way) -> Iterator[Checks]:
    """The tests that may be shown, the most first; of a suite that is known to take too long, only some."""
    before, which = states.before, states.language
    if which is not None:
        mine = test_paths(which, before)
    else:
        mine = [path for path in before.files if _pytest_collects(path) and is_a_test(path)]
        modules = [path for path in test_modules(before) if path in mine]
        mine = list(dict.fromkeys([*(path for path in mine if path in states.touched), *modules]))
    choices = list(dict.fromkeys(filter(None, _shown_choices(states, way, mine))))
    if which is not None:
        yield from filter(None, (visible_checks(which, before, _ONE_BUILT_S, dict(chosen)) for chosen in choices))
        return
    own = {path for path in before.files if path.startswith(REBUILD)}
    files = before.only({path for path in before.files if is_a_test(path) and path.endswith(".py")} | own)
    bare = bare_settings(before.only(_SETTINGS)).only(["pytest.ini"])
    for given in (files, *([bare.over(files)] if bare.files else ())):  # options may need plug-ins that are not loaded
        for chosen in choices:
            expected = tuple(f"{path}::{name}" if name else path for path, names in chosen for name in names or ("",))
            yield Checks(runner="pytest", files=given, expected=expected, timeout_s=_ONE_S, writable=bool(own))


_Choice = tuple[tuple[str, tuple[str, ...]], ...]
"""Files with the names of some of their tests; without any, all of them."""


def _shown_choices(states: States, way: Way, mine: Sequence[str]) -> Iterator[_Choice]:
    """What to show: all; what is in the files that the commit touches, or in the one nearest to it; chosen tests."""
    if way.chosen:
        there = {path: tests_in(path, states.before, states.language) for path in way.chosen}
        some = ((path, tuple(n for n in names if n in there[path])) for path, names in way.chosen.items())
        yield tuple((path, names) for path, names in some if names)
        return
    if way.cpu_s <= _VISIBLE_S:
        yield tuple((path, ()) for path in mine[:_MOST_FILES])
    touched = [path for path in mine if path in states.touched]
    nearest = nearest_files(states.before, states.after, states.touched, mine)[:1]
    yield tuple((path, ()) for path in touched or nearest)


def listed_names(names: Sequence[str], most: int = 3) -> str:
    """The first of some names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
