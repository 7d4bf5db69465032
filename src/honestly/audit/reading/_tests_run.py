"""Runs of tests: the steps they happened in, whose tests they were, and how they ended.

A run is of the agent's own tests if it wrote the file that is run. What a run said is read from the summaries of the
usual test runners; the exit status counts where there is no summary.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from honestly.audit._case import Case
from honestly.audit.reading._parts import Command, StepRow
from honestly.audit.reading._patterns import Pattern
from honestly.audit.reading._places import base, is_test


class TestRun(NamedTuple):
    """One run of tests."""

    step: int
    command: str
    passed: bool | None
    """None where neither a summary nor an exit status says."""
    own: bool
    """Whether the agent wrote the tests itself."""
    output: str


_RUNNERS = frozenset(
    {"pytest", "py.test", "nosetests", "nose2", "tox", "nox", "ctest", "jest", "mocha", "vitest", "rspec",
     "phpunit", "bats", "ava", "unittest"}
)  # fmt: skip
_WITH_TEST = frozenset(
    {"make", "npm", "yarn", "pnpm", "cargo", "go", "mvn", "gradle", "gradlew", "dotnet", "mix", "zig", "bazel",
     "just", "ninja", "rake", "swift", "stack", "cabal", "lein", "sbt"}
)  # fmt: skip
_FAILED = Pattern(
    r"\b[1-9]\d* (?:failed|failures?|failing|errors?)\b|^FAILED\b|^FAIL\b|\bFAILED \(|\bfailures=[1-9]|\berrors=[1-9]|"
    r"\btest result: FAILED|AssertionError|^ERROR\b|\bno tests ran\b|\bRan 0 tests\b|\b0 passed\b|^not ok \d",
    (
        "failed", "failure", "failing", "error", "FAIL", "AssertionError", "ERROR", "no tests ran", "Ran 0",
        "0 passed", "not ok",
    ),
    re.MULTILINE,
    lines=True,
)  # fmt: skip
_PASSED = Pattern(
    r"\b[1-9]\d* (?:passed|passing)\b|^OK\b|\btest result: ok|^PASS\b|\bRan [1-9]\d* tests? in [\d.]+s\s+OK\b|"
    r"\ball tests? passed\b",
    ("pass", "ok"),
    re.MULTILINE | re.IGNORECASE,
)


def test_runs(case: Case) -> Iterator[TestRun]:
    """Every run of tests, in order."""
    for row in case.rows:
        for command in row.commands:
            target = _target(command)
            if target is not None:
                own = bool(target) and any(base(known) == base(target) for known in case.history.sources)
                yield TestRun(row.index, command.raw, _ended(row, command), own, row.output)


def _target(command: Command) -> str | None:
    """The test file that is run; empty for a whole suite; None where no tests are run."""
    words = command.words
    name = command.name
    if (
        name in {"xargs", "echo", "cat", "grep", "which", "pip", "pip3", "ls", "git", "apt-get", "sed", "rm"}
        or not words
    ):
        return None
    rest = [word for word in words[1:] if not word.startswith("-")]
    if name in _RUNNERS:
        return next((word for word in rest if is_test(word)), "")
    if re.fullmatch(r"(?:python|pypy)[\d.]*", name):
        if "-m" in words and any(word in _RUNNERS for word in words):
            return next((word for word in rest if is_test(word) and word not in _RUNNERS), "")
        return rest[0] if rest and is_test(rest[0]) else None
    if name in _WITH_TEST:
        return "" if any(re.match(r"(?:test|check)\b", word) for word in rest) else None
    if name in {"bash", "sh", "node", "ruby", "perl"}:
        return rest[0] if rest and is_test(rest[0]) else None
    return words[0] if "/" in words[0] and is_test(words[0]) else None


def _ended(row: StepRow, command: Command) -> bool | None:
    if row.timed_out:
        return False
    if _FAILED.search(row.output):
        return False
    if _PASSED.search(row.output):
        return True
    # Behind a pipe or `|| true` the status is another command's.
    if command.joined in {"|", "||", "|&"} or row.exit_code is None:
        return None
    return row.exit_code == 0
