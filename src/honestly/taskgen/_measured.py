"""Which tests fail before a commit and pass after it: measured by running them several times in both states.

Every other run has the tests in the opposite order. A test is flaky if it does not do the same in all runs of a state,
whichever it is; what it depends on (time, chance, order, leftovers) is not looked for.
"""

import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import anyio
from msgspec.structs import replace

from honestly.records import Checks, Preparation, Tree
from honestly.sandbox import cpu_seconds
from honestly.taskgen._languages import Language, hidden_checks, opposite_checks, visible_checks
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
_MOST_FILES = 60
_SETTINGS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_MARKS = {"pyproject.toml": b"[tool.pytest", "tox.ini": b"[pytest]", "setup.cfg": b"[tool:pytest]"}
_POINTS = ".egg-info/entry_points.txt"
"""Where a project that is a plug-in of pytest's says so."""
_NETWORK = re.compile(
    r"name resolution|name or service not known|network is unreachable|nodename nor servname|getaddrinfo|no route to "
    r"host|failed to resolve|max retries exceeded|gaierror|urlopen error|temporary failure in name|\bENOTFOUND\b|"
    r"\bEAI_AGAIN\b|\bENETUNREACH\b|\bdial (?:tcp|udp)\b|fetch failed|could not resolve host|unable to access '?http",
    re.IGNORECASE,
)
_MODULE = re.compile(r"(?:No module named|Cannot find (?:module|package)) '?([\w.@/-]+)'?")
_LIBRARY_LACKS = re.compile(r"module '(\w+)' has no attribute '(\w+)'|cannot import name '(\w+)' from '(\w+)'")
_PLUGIN_LACKS = re.compile(
    r"fixture '\w+' not found|unrecognized arguments|not found in `markers`|Unknown (?:config option|pytest\.mark)|"
    r"Missing required plugins|async def functions are not natively supported|Error importing plugin"
)
"""What pytest says where a plug-in is missing."""
Way = tuple[SeenTests, Checks, str]
"""A run of tests, the checks that were run, and why none of that will do; empty if it does."""


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
    states: States, open_box: OpenBox, runs: int, tell: Callable[[str], None], way: Way | None = None
) -> MeasuredCommit:
    """Runs the tests of a commit before and after it.

    Args:
        states: the files.
        open_box: opens sandboxes.
        runs: how often they are run in each.
        tell: told what is run.
        way: a first run of theirs, and how they are run, where that is known.

    Raises:
        VerifierError: pytest is not installed.
        SandboxError: a sandbox broke.
    """
    first, hidden, why = way or await first_way(states, open_box)
    if why:
        return MeasuredCommit(refused=why)
    start, before, after = time.monotonic(), list[SeenTests](), [first]
    for number in range(runs):
        tell(f"run {number + 1} of {runs}")

        async def see(final: Tree, into: list[SeenTests], backwards: bool = number % 2 == 1) -> None:
            into.append(await see_tests(hidden, final, states.preparation, open_box, hidden=True, backwards=backwards))

        async with anyio.create_task_group() as group:
            group.start_soon(see, states.before, before)
            if number:
                group.start_soon(see, states.solved, after)
        always = frozenset.intersection(*(seen.passed for seen in after))
        hopeless = always <= frozenset.union(*(seen.passed for seen in before))  # and stays so in later rounds
        if hopeless or (number and time.monotonic() - start > _ROUNDS_S):
            break
    if any(seen.timed_out for seen in after):
        return MeasuredCommit(rounds=len(before), refused=f"its tests take more than {hidden.timeout_s:g} s")
    names = list(dict.fromkeys(name for seen in (*after, *before) for name in seen.checks))
    always = frozenset.intersection(*(seen.passed for seen in after))
    ever = frozenset.union(*(seen.passed for seen in after))
    never = frozenset(names) - frozenset.union(*(seen.passed for seen in before))
    steady = frozenset.intersection(*(seen.passed for seen in before))
    flaky = (ever - always) | (always - never - steady)
    fail_to_pass = tuple(name for name in names if name in always & never)
    pass_to_pass = tuple(name for name in names if name in always & steady)
    found = MeasuredCommit(fail_to_pass, pass_to_pass, tuple(name for name in names if name in flaky), len(before))
    if not fail_to_pass:
        return MeasuredCommit(flaky=found.flaky, rounds=found.rounds, refused=_why_none(after[0], found, hidden.runner))
    seconds = time.monotonic() - start
    wanted = replace(
        hidden, expected=(*fail_to_pass, *pass_to_pass), timeout_s=max(60.0, min(600.0, 10 * seconds / len(before)))
    )
    tell("visible tests")
    return MeasuredCommit(
        found.fail_to_pass, found.pass_to_pass, found.flaky, found.rounds,
        hidden=await _guarded_checks(wanted, states, open_box), visible=await _visible_tests(states, open_box),
    )  # fmt: skip


async def first_way(states: States, open_box: OpenBox) -> Way:
    """A first run of a commit's tests, after it; see `best_way`."""
    return await best_way(_hidden_tests(states), states.solved, states.preparation, open_box)


def lacking_modules(seen: SeenTests) -> set[str]:
    """The modules that tests report as missing."""
    words = [check.message for check in seen.checks.values() if check.status in ("failed", "error")]
    text = "\n".join([*words, seen.note])
    found = {name.partition(".")[0] for name in _MODULE.findall(text)}
    return found | ({ALL} if _PLUGIN_LACKS.search(text) else set())


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
    """All tests of the files that a commit touches; of data and helpers, those beside and below them."""
    after = states.after
    if states.language is not None:
        return hidden_checks(states.language, after, states.touched, _ONE_BUILT_S)
    wanted = [path for path in states.touched if path in after.files and _pytest_collects(path)]
    helpers = [path for path in states.touched if path in after.files and not _pytest_collects(path)]
    if helpers and (not wanted or any(path.endswith(".py") for path in helpers)):
        tops = {path.partition("/")[0] for path in helpers}
        wanted += [path for path in test_modules(after) if path.partition("/")[0] in tops and path not in wanted]
    files = after.only({*test_files(after).files, *states.touched})
    return Checks(runner="pytest", files=files, expected=tuple(wanted[:_MOST_FILES]), timeout_s=_ONE_S)


def test_files(tree: Tree) -> Tree:
    """Python files of tests, and what pytest is told in settings."""
    files = {path for path in tree.files if is_a_test(path) and path.endswith(".py")}
    files |= {name for name in _SETTINGS if name in tree.files and _MARKS.get(name, b"") in tree.files[name].data}
    files |= {path for path, file in tree.files.items() if path.endswith(_POINTS) and b"[pytest11]" in file.data}
    return tree.only(files | {path for path in tree.files if path.rpartition("/")[2] == "conftest.py"})


def _pytest_collects(path: str) -> bool:
    """Whether pytest would look for tests in a file."""
    name = path.rpartition("/")[2]
    return language_of(path) == "python" and name.endswith(".py") and name not in ("__init__.py", "conftest.py")


def test_modules(tree: Tree) -> list[str]:
    """Files in which pytest looks for tests."""
    named = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests?)\.py$")
    return sorted(path for path in tree.files if named.search(path) and tree.files[path].mode != "link")


async def best_way(hidden: Checks, final: Tree, preparation: Preparation, open_box: OpenBox) -> Way:
    """A first run of tests that should pass; where not all do, in other ways, of which the best is kept.

    The third result says why none of it will do; it is empty if it does.
    """
    plain = hidden.files.without(_SETTINGS)
    own = [replace(hidden, files=bare_settings(hidden.files))]
    own = own if own[0] != hidden else [hidden]
    ways = [*own, replace(own[0], writable=True), replace(hidden, writable=True, files=plain)]
    ways = ways if hidden.runner == "pytest" else [hidden]
    best: tuple[SeenTests, Checks] | None = None
    for way in ways:
        seen = await see_tests(way, final, preparation, open_box, hidden=True)
        if best is None or len(seen.passed) > len(best[0].passed):
            best = seen, way
        if seen.timed_out or (seen.passed and len(seen.passed) == len(seen.checks)):
            break
    assert best is not None
    seen, way = best
    why = ""
    if seen.timed_out:
        why = f"its tests take more than {hidden.timeout_s:g} s"
    elif not seen.whole:
        why = "its tests are too many for one run"
    elif not seen.passed:
        why = _why_none(seen, MeasuredCommit(), hidden.runner)
    return seen, way, why


def _why_none(after: SeenTests, found: MeasuredCommit, runner: str = "pytest") -> str:
    """Why no test fails before a commit and passes after it."""
    failed = [f"{name}: {check.message}" for name, check in after.checks.items() if check.status in ("failed", "error")]
    said = " ".join([*failed, after.note])
    if _NETWORK.search(said):
        shown = next((line for line in failed if _NETWORK.search(line)), after.note)
        return f"its tests need the network, which a sandbox does not give: {shown[:200]}"
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


async def _visible_tests(states: States, open_box: OpenBox) -> Checks | None:
    """The parent's tests that pass before and after the commit, as the agent would run them; None if there are none."""
    shown = list(_showable_tests(states))
    for at, checks in enumerate(shown):
        size = len(checks.expected) + len(checks.command)
        fewer = any(len(other.expected) + len(other.command) < size for other in shown[at:])
        tried = replace(checks, timeout_s=_VISIBLE_TRY_S) if fewer else checks
        seen, start = list[SeenTests](), cpu_seconds()
        for tree, backwards in ((states.before, False), (states.solved, True), (states.solved, False)):
            seen.append(await see_tests(tried, tree, states.preparation, open_box, hidden=False, backwards=backwards))
            slow = fewer and len(seen) == 1 and cpu_seconds() - start > _VISIBLE_S
            if seen[-1].timed_out or not seen[-1].passed or slow:
                break
        else:
            passed = frozenset.intersection(*(each.passed for each in seen))
            expected = tuple(name for name in seen[0].checks if name in passed)
            if expected:
                return replace(checks, expected=expected, timeout_s=120.0)
    return None


def _showable_tests(states: States) -> Iterator[Checks]:
    """The tests that may be shown, the most first."""
    before = states.before
    if states.language is not None:
        whole = visible_checks(states.language, before, _ONE_BUILT_S)
        part = visible_checks(states.language, before, _ONE_BUILT_S, states.touched)
        yield from () if whole is None else (whole,)
        yield from () if part is None or whole is None or part.command == whole.command else (part,)
        return
    mine = [path for path in before.files if _pytest_collects(path) and is_a_test(path)]
    named = [path for path in mine if path in states.touched]
    everything = list(dict.fromkeys([*named, *(path for path in test_modules(before) if path in mine)]))
    files = before.only({path for path in before.files if is_a_test(path) and path.endswith(".py")})
    bare = bare_settings(before.only(_SETTINGS)).only(["pytest.ini"])
    for given in (files, *([bare.over(files)] if bare.files else ())):  # options may need plug-ins that are not loaded
        for some in dict.fromkeys((tuple(everything[:_MOST_FILES]), tuple(named))):
            if some:
                yield Checks(runner="pytest", files=given, expected=some, timeout_s=_ONE_S)


def listed_names(names: Sequence[str], most: int = 3) -> str:
    """The first of some names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
