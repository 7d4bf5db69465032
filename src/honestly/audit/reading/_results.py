"""The results of test frameworks in a step's output, read by the grammar of each.

Every summary that stands in a text becomes a result: counts, the framework's own verdict, and the names of the tests
that failed. A run in which nothing ran is neither a success nor a failure. Of a summary that was cut off, what is left
is read. Nothing else in the output counts: no traceback, no log line, no summary inside quotes, comments or the
captured output of a test that runs tests itself. Work is linear in the length of the text.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import islice

from honestly.audit.reading._frameworks import READERS
from honestly.audit.reading._grammars import Grammar, pattern_of
from honestly.audit.reading._grammars_compiled import COMPILED
from honestly.audit.reading._grammars_scripted import SCRIPTED
from honestly.audit.reading._summaries import MOST, FoundSummary, Result, labelled_counts, names_in, result_of

_NOISE = re.compile(r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\r{1,3}(?=\n|\Z)")
_QUOTES = re.compile(r"\"\"\"|'''")


def results_in(output: str) -> tuple[Result, ...]:
    """Every summary in what a step printed, in order."""
    text, place = _without_colours(output)
    found = [each for read in READERS for each in read(text)]
    for grammar in (*SCRIPTED, *COMPILED):
        found += _grammar_results(text, grammar)
    quotes = [match.start() for match in _QUOTES.finditer(text)]
    # Behind an odd number of triple quotes and before another: a text of a program's, not what a framework printed.
    before = {each.result.start: bisect_left(quotes, each.result.start) for each in found}
    found = [each for each in found if before[each.result.start] % 2 == 0 or before[each.result.start] == len(quotes)]
    kept = _without_doubles(sorted(found, key=lambda each: (each.result.start, -each.result.end)))
    return tuple(each._replace(start=place(each.start), end=place(each.end)) for each in kept)


def _without_colours(output: str) -> tuple[str, Callable[[int], int]]:
    """The text without colours, and where its characters stood before."""
    if "\x1b" not in output and "\r" not in output:
        return output, lambda at: at
    parts: list[str] = []
    begins, shifts = [0], [0]
    last = size = 0
    for match in _NOISE.finditer(output):
        parts.append(output[last : match.start()])
        size += match.start() - last
        last = match.end()
        begins.append(size)
        shifts.append(last - size)
    parts.append(output[last:])
    return "".join(parts), lambda at: at + shifts[bisect_right(begins, at) - 1]


def _without_doubles(found: list[FoundSummary]) -> list[Result]:
    """The results with doubles removed, the fuller one kept."""
    outer: list[FoundSummary] = []
    for each in found:
        if not outer or each.result.end > outer[-1].result.end:
            outer.append(each)
    wholes = {each.result.framework for each in outer if not each.part}
    hidden = {each.whole: each.result.start for each in outer if each.whole}
    kept: list[FoundSummary] = []
    for each in outer:
        result = each.result
        if (each.part and result.framework in wholes) or result.start < hidden.get(result.framework, -1):
            continue
        if each.growing and kept and _grown(kept[-1], each):
            kept.pop()
        kept.append(each)
    return [each.result for each in kept]


def _grown(before: FoundSummary, after: FoundSummary) -> bool:
    """Whether a summary is the next state of the one before."""
    one, two = before.result, after.result
    pairs = ((one.passed, two.passed), (one.failed, two.failed), (one.skipped, two.skipped), (one.ran, two.ran))
    same = before.growing and one.framework == two.framework
    return same and all((first or 0) <= (second or 0) for first, second in pairs)


def _grammar_results(text: str, grammar: Grammar) -> Iterator[FoundSummary]:
    """The summaries of a grammar of the table."""
    matches = list(islice(pattern_of(grammar.summary).finditer(text), MOST))
    for number, match in enumerate(matches):
        before = text[matches[number - 1].end() if number else 0 : match.start()]
        said = {key: value for key, value in match.groupdict().items() if value is not None}
        for other in pattern_of(grammar.more).finditer(before) if grammar.more else ():
            said |= {key: value for key, value in other.groupdict().items() if value is not None}
        verdict = False if "bad" in said else True if "good" in said else None
        near = before
        if grammar.names_after:
            stop = matches[number + 1].start() if number + 1 < len(matches) else len(text)
            near = f"{before}\n{text[match.end() : stop]}"
        names = names_in(near, pattern_of(grammar.names)) if grammar.names else ()
        counts = labelled_counts(said.get("counts", ""), said.get("fields", "") or said.get("labels", ""))
        for field in ("passed", "failed", "errors", "skipped", "expected_failures", "ran", "total"):
            if field in said:
                counts[field] = int(said[field] or 0)
        if "only" in said:
            counts["failed"] = int(said["only"])
        if "all" in said:
            counts["passed"] = max(0, int(said["all"]) - counts["failed"] - counts["skipped"])
        if "passed" in said and "of" in said:
            counts["failed"] = max(0, int(said["of"]) - counts["passed"] - counts["skipped"])
        if said.get("suites") and not counts["failed"]:
            counts["errors"] = int(said["suites"])
        result = result_of(grammar.framework, counts, grammar.says, verdict, match.span(), names)
        if result.ok is not False:
            result = result._replace(failures=())
        yield FoundSummary(result, grammar.part, grammar.growing, grammar.whole)
