"""The frameworks whose summaries are more than a line: pytest, unittest, TAP, Go and Julia."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from honestly.audit.reading._grammars import ALL
from honestly.audit.reading._patterns import Pattern
from honestly.audit.reading._summaries import MOST, FoundSummary, Result, labelled_counts, names_in, result_of

_M = re.MULTILINE

# pytest. A test that runs pytest itself shows whole runs in its captured output: they are not results of this run.

_WORD = r"(?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests passed|pytest-warnings)"
_PYTEST_END = Pattern(
    r"^(?P<bar>=+ )?(?:no tests (?:ran|collected)(?: \(\d+ deselected\))?"
    r"|\d+(?:/\d+)? tests? collected(?: \(\d+ deselected\))?(?:, (?P<broken>\d+ errors?))?"
    r"|(?P<counts>\d{1,9} " + _WORD + r"(?:, \d{1,9} [a-z-]{1,20}(?: [a-z]{1,20})?){0,12}))"
    r" in [\d.]{1,20} ?(?:s|seconds)(?: \(\d+:\d\d:\d\d\))?[ \t]*=*[ \t]*$",
    _M,
)
_PYTEST_START = Pattern(r"^=+ test session starts =+", _M)
_CAPTURED = Pattern(r"^-+ Captured std(?:out|err)\b[^\n]*-$", _M)
_BROKEN_OFF = Pattern(r"^!{3,60} (?:KeyboardInterrupt|[\w.]{0,40}Exit\b)[^\n]*$", _M)
_PYTEST_NAMES = Pattern(
    r"^(?:(?:FAILED|ERROR) ([^\s\[]*(?:::|\.py|/)[^\s\[]*(?:\[[^\n]{0,300}?\](?= - |[ \t]*$))?)"
    r"|([\w./][^\s\[]{0,300}::[^\s\[]{1,300}(?:\[[^\n]{0,300}?\])?) (?:FAILED|ERROR)\b)[^\n]*$",
    _M,
)
_SHORT = "short test summary info"


def _pytest_results(text: str) -> Iterator[FoundSummary]:
    last = 0
    for end in _outer_ends(text):
        before = text[last : end.start()]
        last = end.end()
        counts = labelled_counts(f"{end['counts'] or ''}, {end['broken'] or ''}")
        names = names_in(before[max(0, before.rfind(_SHORT)) :], _PYTEST_NAMES) if counts else ()
        off = False if _BROKEN_OFF.search(before) else None
        result = result_of("pytest", counts, ALL, off, (end.start(), end.end()), names)
        yield FoundSummary(result if counts or off is False else result._replace(ran=0, ok=None))
    rest = text[max(last, text.rfind(_SHORT)) :]
    left = list(islice(_PYTEST_NAMES.finditer(rest), MOST))
    if left:
        at = len(text) - len(rest)
        names = tuple(dict.fromkeys(match[1] or match[2] for match in left))
        start, stop = at + left[0].start(), at + left[-1].end()
        unknown = Result("pytest", None, None, None, None, None, None, None, start, stop)
        yield FoundSummary(unknown._replace(ok=False, failures=names))


def _outer_ends(text: str) -> Iterator[re.Match[str]]:
    """The last lines of runs that no test captured."""
    events = [
        (match.start(), kind, match)
        for kind, pattern in enumerate((_PYTEST_START, _CAPTURED, _PYTEST_END))
        for match in islice(pattern.finditer(text), MOST)
    ]
    # Open runs, outermost first: has it a visible start, has it captured something.
    runs: list[list[bool]] = []
    for _, kind, match in sorted(events, key=lambda event: event[0]):
        if kind == 0:
            if runs and not runs[-1][1]:
                runs.pop()
            runs.append([True, False])
        elif kind == 1:
            if not runs:
                runs.append([False, False])
            runs[-1][1] = True
        elif runs and runs[-1][0] and not match["bar"] and runs[-1][1]:
            continue
        else:
            if len(runs) <= 1:
                yield match
            if runs:
                runs.pop()


# unittest and its relatives: nose, Django, Twisted. Other output may stand between the count and the verdict.

_RAN = Pattern(r"^Ran (\d{1,9}) tests? in [\d.]{1,20} ?s(?:econds)?[ \t]*$", _M)
_VERDICT = Pattern(
    r"^(?:(OK|PASSED)|(FAILED)|NO TESTS RAN)(?: \(((?:[A-Za-z ]{1,30}=\d{1,9}(?:, )?){1,8})\))?[ \t]*$", _M
)
_UNITTEST_NAMES = Pattern(
    r"^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\w{1,200} \([^\n]{1,300}|[\w.]{1,300}\.[\w.]{1,200})[ \t]*$", _M
)
# Characters between a count and its verdict, at most.
_NEAR = 4000


def _unittest_results(text: str) -> Iterator[FoundSummary]:
    counts = list(islice(_RAN.finditer(text), MOST))
    verdicts = list(islice(_VERDICT.finditer(text), MOST))
    # A verdict without numbers counts only where all before it was cut off.
    first = len(text) - len(text.lstrip())
    taken = last = 0
    for number, ran in enumerate(counts):
        stop = counts[number + 1].start() if number + 1 < len(counts) else len(text)
        for alone in (each for each in verdicts[taken:] if each.start() < ran.start()):
            taken += 1
            if alone[3] or alone.start() <= first:
                yield _unittest_verdict(text[last : alone.start()], None, alone)
        verdict = verdicts[taken] if taken < len(verdicts) else None
        if verdict is not None and verdict.start() < min(stop, ran.end() + _NEAR):
            taken += 1
        else:
            verdict = None
        yield _unittest_verdict(text[last : ran.start()], ran, verdict)
        last = (verdict or ran).end()
    for alone in verdicts[taken:]:
        if alone[3] or alone.start() <= first:
            yield _unittest_verdict(text[last : alone.start()], None, alone)


def _unittest_verdict(before: str, ran: re.Match[str] | None, verdict: re.Match[str] | None) -> FoundSummary:
    counts = labelled_counts(labels=(verdict[3] or "") if verdict is not None else "")
    successes = counts.pop("passed", None)
    says = ALL if verdict is not None else frozenset()
    if ran is not None:
        counts["ran"] = int(ran[1])
    good = verdict is not None and bool(verdict[1])
    bad = verdict is not None and bool(verdict[2])
    end = verdict or ran
    assert end is not None
    names = names_in(before, _UNITTEST_NAMES) if bad or verdict is None else ()
    result = result_of(
        "unittest", counts, says, True if good else False if bad else None, ((ran or end).start(), end.end()), names
    )
    if verdict is None and not names:
        result = result._replace(ok=None)
    elif verdict is None:
        result = result._replace(ok=False)
    elif bad or ran is None:
        # A test with subtests may fail more than once.
        result = result._replace(passed=successes, ran=result.ran if ran is not None else None)
    return FoundSummary(result)


# TAP: one line for each test, and a plan of how many there are, before or after them.

_TAP_LINE = Pattern(r"^(not )?ok (\d{1,9})\b([^\n]*)$", _M)
_TAP_PLAN = Pattern(r"^1\.\.(\d{1,9})\b[^\n]*$", _M)
_TAP_BAD = Pattern(r"^(?:Bail out!|# Looks like (?:you|your test))[^\n]*$", _M)
_TAP_MARK = re.compile(r"#[ \t]*(?:(skip)|(todo))", re.IGNORECASE)


def _tap_results(text: str) -> Iterator[FoundSummary]:
    plans = [(match.start(), int(match[1]), match.end()) for match in islice(_TAP_PLAN.finditer(text), MOST)]
    bad = [match.start() for match in islice(_TAP_BAD.finditer(text), MOST)]
    runs: list[list[re.Match[str]]] = []
    for line in _TAP_LINE.finditer(text):
        if not runs or int(line[2]) <= int(runs[-1][-1][2]):
            runs.append([])
        runs[-1].append(line)
    for number, run in enumerate(runs[:MOST]):
        first = runs[number - 1][-1].end() if number else 0
        last = runs[number + 1][0].start() if number + 1 < len(runs) else len(text)
        near = [plan for plan in plans if first <= plan[0] < last]
        plans = [plan for plan in plans if plan[0] >= run[-1].end()]
        highest = int(run[-1][2])
        plan = next((each for each in near if each[1] == highest), near[0] if near else None)
        yield _tap_result(run, plan, any(first <= at < last for at in bad))
    if not runs:
        for start, count, end in plans:
            if count == 0:
                yield FoundSummary(Result("tap", 0, 0, None, None, None, 0, None, start, end), part=True)


def _tap_result(run: list[re.Match[str]], plan: tuple[int, int, int] | None, bad: bool) -> FoundSummary:
    counts = Counter({"passed": 0, "failed": 0, "skipped": 0, "expected_failures": 0})
    names = []
    for line in run:
        mark = _TAP_MARK.search(line[3])
        if mark is not None and mark[1]:
            counts["skipped"] += 1
        elif line[1] and mark is not None:
            counts["expected_failures"] += 1
        elif line[1]:
            counts["failed"] += 1
            names.append(line[3].strip().removeprefix("- ").strip() or line[2])
        else:
            counts["passed"] += 1
    whole = plan is not None and plan[1] == len(run)
    start, end = run[0].start(), run[-1].end()
    if plan is not None and whole:
        start, end = min(start, plan[0]), max(end, plan[2])
    verdict = False if bad else True if whole else None
    result = result_of("tap", counts, frozenset(), verdict, (start, end), tuple(names))
    # It may have been cut off.
    if verdict is None and result.ok:
        result = result._replace(ok=None)
    return FoundSummary(result, part=True)


# Go: a line for each package; single tests only where they fail, or with -v.

_GO_PACKAGE = Pattern(
    r"^(?:(ok)|(FAIL)|\?)[ \t]{1,8}([\w./-]{1,300})[ \t]{1,8}((?:[\d.]{1,20}s\b|\(cached\)|\[[a-z ]{1,40}\])[^\n]*)$",
    _M,
)
_GO_TEST = Pattern(r"^--- (?:(PASS)|(FAIL)|SKIP): (\S{1,300}) \([\d.]{1,20}s\)[^\n]*$", _M)
_GO_PASSED = Pattern(r"^PASS[ \t]*$", _M)


def _go_results(text: str) -> Iterator[FoundSummary]:
    packages = list(islice(_GO_PACKAGE.finditer(text), MOST))
    tests = list(islice(_GO_TEST.finditer(text), MOST))
    if not packages and not tests:
        return
    spans = [match.span() for match in (*packages, *tests)]
    counts = Counter({"failed": sum(bool(test[2]) for test in tests)})
    # With `-v`, those that passed are listed too.
    if any(not test[2] for test in tests):
        counts["passed"] = sum(bool(test[1]) for test in tests)
        counts["skipped"] = len(tests) - counts["passed"] - counts["failed"]
    built = [each for each in packages if each[2] and "[" in each[4]]
    counts["errors"] = len(built)
    if packages and not tests and all("[no test" in each[4] for each in packages):
        counts["ran"] = 0
    fell = any(each[2] for each in packages) or counts["failed"] > 0
    good = any(each[1] for each in packages) or _GO_PASSED.search(text[spans[-1][1] :]) is not None
    names = tuple(dict.fromkeys(test[3] for test in tests if test[2])) + tuple(each[3] for each in built)
    verdict = False if fell else True if good else None
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    result = result_of("go", counts, frozenset(), verdict, (start, end), names)
    yield FoundSummary(result if verdict is not None else result._replace(ok=None))


# Julia: a table whose columns are only those that are not zero; its first row is the sum.

_JULIA_TABLE = Pattern(
    r"^Test Summary:[ \t]*\|([ \t]*[A-Z][A-Za-z \t]{1,80})\n([^|\n]{1,200})\|([ \t\d.msh]{1,80})$", _M
)
_JULIA_END = Pattern(
    r"^(?:ERROR: )?(?:LoadError: )?Some tests did not pass: (\d[^\n]{1,100}?)\.?$|^ +Testing \S+ t"
    r"ests (passed)[ \t]*$",
    _M,
)
_JULIA_NAMES = Pattern(r"^([^\n:]{1,200}): (?:Test Failed|Error During Test) at [^\n]*$", _M)
_JULIA_SAYS = frozenset({"passed", "failed", "errors", "expected_failures"})


def _julia_results(text: str) -> Iterator[FoundSummary]:
    tables = [(match, True) for match in islice(_JULIA_TABLE.finditer(text), MOST)]
    ends = [(match, False) for match in islice(_JULIA_END.finditer(text), MOST)]
    marks = sorted([*tables, *ends], key=lambda each: each[0].start())
    last = 0
    for number, (match, table) in enumerate(marks):
        counts = _julia_counts(match) if table else labelled_counts(match[1] or "")
        passed = not table and match[2] is not None
        bad = counts["failed"] + counts["errors"] > 0 if table else not passed
        if table and bad and number + 1 < len(marks) and not marks[number + 1][1]:
            # The line that follows says the same.
            continue
        says = frozenset() if passed else _JULIA_SAYS
        names = names_in(text[last : match.start()], _JULIA_NAMES)
        last = match.end()
        yield FoundSummary(result_of("julia", counts, says, not bad, match.span(), names))


def _julia_counts(table: re.Match[str]) -> Counter[str]:
    """The sums of a table: a number ends where the name of its column ends."""
    cells = {cell.end(): cell[0] for cell in re.finditer(r"\d+(?![\d.])\b", table[3])}
    heads = re.finditer(r"[A-Z][a-z]+", table[1])
    return labelled_counts(labels=", ".join(f"{head[0]} {cells[head.end()]}" for head in heads if head.end() in cells))


READERS: tuple[Callable[[str], Iterator[FoundSummary]], ...] = (
    _pytest_results,
    _unittest_results,
    _tap_results,
    _go_results,
    _julia_results,
)
