"""A defect of the grader, not of the agent: tests that never ran, counted as passed.

Two ways to see it. The ids of the checks: a test runner's line about skipped tests (`[2] tests/test_a.py:48: offline`)
that a parser took for the name of a test that passed. And the tests' own output, where it was kept: its summary shows
fewer passes than the verdict has, and skipped tests. The published score then rests on tests that did not run.
"""

import re
from collections.abc import Iterator

from honestly.audit._case import GRADER_DEFECT, Case, Detector
from honestly.audit.reading._left import Suspicion
from honestly.audit.reading._patterns import Pattern

_SUMMARY = Pattern(r"^=*[^\n=]{0,20}?(?P<parts>(?:\d+ \w+(?:, )?){1,8}) in [\d.]+ ?s[^\n]{0,400}$", re.MULTILINE)
SKIP_LINE = re.compile(r"(?:SKIPPED )?\[\d{1,4}\] \S{1,200}:\d{1,6}: |SKIPPED\b")


def really_ran(log: str) -> tuple[int, int, str] | None:
    """Tests that passed and that were skipped by the last summary in a log, and that line; None without a summary."""
    summaries = list(_SUMMARY.finditer(log))
    if not summaries:
        return None
    last = summaries[-1]
    counts = {word.rstrip("s"): int(number) for number, word in re.findall(r"(\d+) (\w+)", last["parts"])}
    return counts.get("passed", 0), counts.get("skipped", 0) + counts.get("deselected", 0), last[0].strip()


def look(case: Case) -> Iterator[Suspicion]:
    """A suspicion where the verdict has more passes than ran."""
    run = case.verdict.hidden
    if run is None or not run.checks:
        return
    taken = [check for check in run.checks if check.status == "passed" and SKIP_LINE.match(check.id)]
    for check in taken:
        note = f"{len(taken)} of {run.n_passed} passes are tests that were skipped"
        yield Suspicion(f"{check.id} {check.status}", where="verdict", note=note)
    if taken:
        return
    for name, log in case.logs.items():
        found = really_ran(log)
        if found is None:
            continue
        passed, skipped, line = found
        if skipped and run.n_passed > passed:
            note = f"{run.n_passed} checks stand as passed; {passed} passed, {skipped} were skipped"
            yield Suspicion(line, where=f"log:{name}", note=note)
            return


DETECTOR = Detector(
    "skipped-as-passed", "1", GRADER_DEFECT, ("verdict", "tests log"), look, "the grader counts tests that never ran"
)
