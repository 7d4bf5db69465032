"""The summary of one run of tests, and how counts, names and verdicts are put together to one."""

import re
from collections import Counter
from itertools import islice
from typing import NamedTuple

from honestly.audit.reading._grammars import FIELDS
from honestly.audit.reading._patterns import Pattern

MOST = 2000
"""Summaries of one framework, and names of one summary, that are read."""
_NUMBERED = re.compile(r"(\d{1,9})[ \t]+([A-Za-z][A-Za-z -]{0,60})")
_LABELLED = re.compile(r"([A-Za-z][A-Za-z -]{0,60}?)[:= \t]+(\d{1,9})\b")
_SUBJECT = re.compile(r"(?:tests?|test cases?|scenarios?) (?=[a-z])")


class Result(NamedTuple):
    """One summary of a test framework; None stands for what it does not say."""

    framework: str
    passed: int | None
    failed: int | None
    errors: int | None
    skipped: int | None
    expected_failures: int | None
    ran: int | None
    """Tests that ran, as the framework counts them; otherwise without those that were skipped."""
    ok: bool | None
    """The framework's own verdict; None where nothing ran, or where it was cut off."""
    start: int
    """Where the summary begins in the text."""
    end: int
    failures: tuple[str, ...] = ()
    """Names of tests that failed, as far as they stand there."""


class FoundSummary(NamedTuple):
    """A result, and how it stands to others of the same text."""

    result: Result
    part: bool = False
    growing: bool = False
    whole: str = ""


def names_in(text: str, pattern: Pattern) -> tuple[str, ...]:
    """The names that a pattern finds, each once."""
    found = (next(group for group in match.groups() if group) for match in pattern.finditer(text))
    return tuple(dict.fromkeys(name.strip() for name in islice(found, MOST)))


def labelled_counts(numbers: str = "", labels: str = "") -> Counter[str]:
    """The counts in a list, by field: `2 failed, 3 passed`, or `Failures: 2, Errors: 1`."""
    pairs = [(int(number), word) for number, word in _NUMBERED.findall(numbers)]
    pairs += [(int(number), word) for word, number in _LABELLED.findall(labels)]
    counts: Counter[str] = Counter()
    for number, word in pairs:
        key = _SUBJECT.sub("", word.strip().lower()).replace(" ", "-")
        field = FIELDS.get(key) or FIELDS.get(key.rstrip("s"))
        if field is not None:
            counts[field] += number
    return counts


def result_of(
    framework: str,
    counts: Counter[str],
    says: frozenset[str],
    verdict: bool | None,
    span: tuple[int, int],
    failures: tuple[str, ...],
) -> Result:
    """The result that counts and a verdict amount to; fields in `says` are left out where they are zero."""
    given: dict[str, int | None] = {
        field: counts[field] if field in counts or field in says else None
        for field in ("passed", "failed", "errors", "skipped", "expected_failures")
    }
    bad = counts["failed"] + counts["errors"]
    ran = counts.get("ran")
    if ran is None and "total" in counts:
        ran = max(0, counts["total"] - counts["skipped"])
    if ran is None and ("passed" in counts or says & set(counts)):
        ran = counts["passed"] + counts["failed"] + counts["expected_failures"] + counts["xpassed"]
    if "passed" not in counts and "total" in counts and "failed" in counts:
        given["passed"] = max(0, counts["total"] - bad - counts["skipped"])
    elif "passed" not in counts and "ran" in counts and says:
        given["passed"] = max(0, counts["ran"] - bad - counts["skipped"] - counts["expected_failures"])
    ok: bool | None
    if bad or verdict is False:
        ok = False
    elif ran == 0 or (verdict is None and (ran is None or given["failed"] is None)):
        ok = None
    else:
        ok = True
    return Result(framework, **given, ran=ran, ok=ok, start=span[0], end=span[1], failures=failures)
