"""Runs of tests: which commands are one, whose tests they are, and how they ended."""

from __future__ import annotations

import pytest

from honestly.audit import Case, read_table
from honestly.audit.reading import _tests_run
from honestly.records import Observation, Outcome, Step, ToolCall, Trial

TRIAL = Trial(id=f"{1:032x}", agent="a", task="t", sample=0, outcome=Outcome.PASSED)
PASSED = "Ran 3 tests in 0.001s\n\nOK"


def step(command: str, output: str = "", code: int | None = 0) -> Step:
    call = ToolCall.of("1", "bash", command=command)
    return Step(source="agent", calls=(call,), observations=(Observation(text=output, call_id="1", code=code),))


def runs(*steps: Step) -> list[_tests_run.TestRun]:
    return list(Case(TRIAL, read_table(steps)).test_runs)


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "python3 -m pytest tests/test_a.py",
        "python -m unittest",
        "python -m test test_bisect",
        "python -m doctest a.py",
        "python -m django test app",
        "./manage.py test app",
        "python manage.py test",
        "python setup.py test",
        "./tests/runtests.py queries",
        "cd tests && python3 runtests.py queries",
        "bin/test sympy/core",
        "python bin/test sympy/core",
        "python -c \"import sympy; sympy.test('core')\"",
        "uv run pytest",
        "uv run --with x pytest",
        "poetry run pytest",
        "coverage run -m pytest",
        "python -m coverage run -m pytest",
        "python -m tox -e py",
        "python -m nox",
        "conda run -n e pytest",
        "docker exec c pytest -q",
        "npm test",
        "npm run test:unit",
        "npx jest a.test.js",
        "npx --yes vitest run",
        "npx playwright test",
        "yarn jest",
        "pnpm exec vitest",
        "node --test",
        "deno test",
        "prove -l t",
        "perl t/a.t",
        "perl -MTAP::Harness -e 'TAP::Harness->new->runtests(@ARGV)' t/a.t",
        "bundle exec rspec",
        "go test ./...",
        "cargo nextest run",
        "mvn -q verify",
        "./gradlew :app:test",
        "make -C build check",
        "ctest --test-dir build",
        "./build/unit_tests",
        "julia -e 'using Pkg; Pkg.test()'",
        "Rscript -e 'testthat::test_dir(\"tests\")'",
        "sudo timeout 30 pytest",
    ],
)
def test_a_run_is_known_by_its_command(command: str) -> None:
    assert [run.passed for run in runs(step(command, PASSED, None))] == [True]


@pytest.mark.parametrize(
    "command",
    [
        "pip install pytest",
        "python -m pip install pytest",
        "uv pip install pytest",
        "poetry add pytest",
        "npm install jest",
        "npx playwright install",
        "pytest --version",
        "pytest --collect-only",
        "cargo check",
        "cargo build",
        "make",
        "npm run build",
        "python manage.py migrate",
        "python -m http.server",
        "python -c 'print(1)'",
        "python a.py",
        "./build/latest",
        "cat tests/test_a.py",
        "coverage report",
    ],
)
def test_other_commands_are_none(command: str) -> None:
    assert runs(step(command, PASSED)) == []


@pytest.mark.parametrize(
    ("command", "output", "code", "passed"),
    [
        ("pytest", "=== 3 passed in 0.1s ===", 0, True),
        ("pytest | tail -1", "=== 1 failed, 3 passed in 0.1s ===", 0, False),
        ("python -m unittest", "Ran 12 tests in 0.1s\n\nOK (skipped=9, expected failures=2)", 0, True),
        ("python -m unittest", "Traceback (most recent call last):\nAssertionError\n" + PASSED, 0, True),
        ("python -m unittest", "Ran 0 tests in 0.000s\n\nOK", 0, None),
        ("python -m unittest", "Ran 2 tests in 0.000s\n\nOK (skipped=2)", 0, None),
        ("pytest", "=== no tests ran in 0.01s ===", 5, None),
        ("pytest a; pytest b", "=== 1 failed in 0.1s ===\n=== 1 passed in 0.1s ===", 0, False),
        ("npm test", "it works", 0, True),
        ("npm test", "it does not", 1, False),
        ("npm test | tail -1", "it works", 0, None),
        ("npm test || true", "", 0, None),
        ("npm test; echo done", "done", 0, None),
        ("npm test && echo done", "done", 0, True),
        ("npm test", "", None, None),
        ("pytest", "bash: line 1: pytest: command not found", 127, None),
        ("python -m pytest", "/usr/bin/python: No module named pytest", 1, None),
        ("pytest", "....", 124, False),
    ],
)
def test_how_it_ended(command: str, output: str, code: int | None, passed: bool | None) -> None:
    assert runs(step(command, output, code))[0].passed is passed


def test_a_run_says_what_the_frameworks_said_and_its_own_status() -> None:
    (run,) = runs(step("pytest x && true", "FAILED tests/a.py::test_b - no\n1 failed, 2 passed in 0.1s", 1))
    assert [(each.framework, each.failed, each.failures) for each in run.results] == [
        ("pytest", 1, ("tests/a.py::test_b",))
    ]
    assert run.code == 1
    assert runs(step("pytest x | tail", "", 0))[0].code is None


@pytest.mark.parametrize(
    ("path", "text", "call", "own"),
    [
        ("go.sh", "set -e\ncd src\npytest tests/test_theirs.py\n", "bash go.sh", False),
        ("go.sh", "cd /app && npm test\n", "./go.sh", False),
        ("try.py", "import unittest\nunittest.main()\n", "python3 try.py", True),
        ("test_mine.py", "print('fine')\n", "python3 test_mine.py", True),
    ],
)
def test_a_script_of_the_agent_is_a_run_where_it_tests(path: str, text: str, call: str, own: bool) -> None:
    wrote = step(f"cat > {path} <<'EOF'\n{text}EOF\n")
    assert [(run.own, run.passed) for run in runs(wrote, step(call, "", 0))] == [(own, True)]
    plain = step("cat > plain.py <<'EOF'\nprint(1)\nEOF\n")
    assert runs(plain, step("python plain.py", "", 0)) == []
