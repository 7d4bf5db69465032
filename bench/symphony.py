"""Prints the published matrix of Symphony: each row, its test here, and how the test ended.

    python bench/symphony.py [--json]

Rows without a counterpart are counted apart, never as passed. Exit code 1 where a row's test did not pass.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1] / "tests" / "recipes"
sys.path.insert(0, str(TESTS))

from symphony_rows import NONE, ROWS  # noqa: E402


class Ends:
    def __init__(self):
        self.of = {}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.rpartition("/")[2]
        if report.when == "call" or report.outcome != "passed":
            self.of[name] = "failed" if "failed" in (report.outcome, self.of.get(name)) else report.outcome


def result(ends, test):
    if test.startswith(NONE):
        return "none"
    found = [end for name, end in ends.items() if name == test or name.startswith(f"{test}[")]
    return next((end for end in ("failed", "skipped") if end in found), "passed" if found else "missing")


def main():
    ends = Ends()
    files = sorted({str(TESTS / test.partition("::")[0]) for _, _, test in ROWS if not test.startswith(NONE)})
    sys.stdout, kept = sys.stderr, sys.stdout
    pytest.main(["-q", "-p", "no:cacheprovider", *files], plugins=[ends])
    sys.stdout = kept
    rows = [(section, row, test, result(ends.of, test)) for section, row, test in ROWS]
    counts = Counter(end for *_, end in rows)
    if "--json" in sys.argv:
        print(
            json.dumps(
                {"rows": [dict(zip(("section", "row", "test", "result"), row, strict=True)) for row in rows], **counts}
            )
        )
    else:
        for section, row, test, end in rows:
            print(f"{section}  {end:7}  {row}\n               {test}")
        print(", ".join(f"{count} {end}" for end, count in counts.items()))
    return 0 if counts.keys() <= {"passed", "none"} else 1


if __name__ == "__main__":
    sys.exit(main())
