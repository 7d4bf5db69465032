"""Runs unittest test files inside the sandbox and reports each test by its id.

This is how most harnesses judge: tests and tested code share a process, so the tested code can lie. It serves for the
visible checks only, and what it says is called the visible score.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from typing import Any


def _words(err: Any) -> str:
    """What a test says of its failure; what is no text in it (lone surrogates), as escapes."""
    return f"{err[0].__name__}: {err[1]}"[:500].encode("utf-8", "backslashreplace").decode()


def main() -> None:
    """Reads the expected ids from standard input; writes one JSON line per event to what was standard output."""
    request = json.loads(sys.stdin.readline())
    out = os.dup(1)
    os.dup2(2, 1)

    def say(**event: object) -> None:
        event["nonce"] = request["nonce"]
        os.write(out, json.dumps(event).encode() + b"\n")

    sys.path.insert(0, os.getcwd())
    import unittest

    class Result(unittest.TestResult):
        def addSuccess(self, test: unittest.TestCase) -> None:
            say(id=test.id(), status="passed")

        def addFailure(self, test: unittest.TestCase, err: Any) -> None:
            say(id=test.id(), status="failed", message=_words(err))

        def addError(self, test: unittest.TestCase, err: Any) -> None:
            say(id=test.id(), status="error", message=_words(err))

        def addSkip(self, test: unittest.TestCase, reason: str) -> None:
            say(id=test.id(), status="skipped", message=_words((unittest.SkipTest, reason)))

        def addExpectedFailure(self, test: unittest.TestCase, _err: Any) -> None:
            say(id=test.id(), status="skipped", message="expected failure")

        def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
            say(id=test.id(), status="failed", message="unexpected success")

        def addSubTest(self, test: unittest.TestCase, _subtest: unittest.TestCase, err: Any) -> None:
            if err is not None:
                say(id=test.id(), status="failed", message=_words(err))

    loader = unittest.TestLoader()
    result = Result()
    for name in request["expected"]:
        loader.loadTestsFromName(name).run(result)
    say(end=True)


if __name__ == "__main__":
    main()
