"""Runs of tests: the steps they happened in, whose tests they were, and how they ended.

A run is of the agent's own tests if it wrote the file that is run. What a run said is read from the summaries of its
test framework; the exit status counts where there is none. A script that the agent wrote is a run where it calls a test
runner.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from honestly.audit.reading._history import History, Source
from honestly.audit.reading._parts import Command, StepRow
from honestly.audit.reading._patterns import Pattern
from honestly.audit.reading._places import base_name, is_test, same_file
from honestly.audit.reading._results import results_in
from honestly.audit.reading._shell import split_commands
from honestly.audit.reading._summaries import Result


class TestRun(NamedTuple):
    """One run of tests."""

    step: int
    command: str
    passed: bool | None
    """None where neither a summary nor an exit status says, and where no test ran."""
    own: bool
    """Whether the agent wrote the tests itself."""
    output: str
    results: tuple[Result, ...] = ()
    """What the frameworks of its step said."""
    code: int | None = None
    """Its exit status; None where it is not known, or may be another command's."""


_RUNNERS = frozenset(
    {"pytest", "py.test", "nosetests", "nose2", "nose", "tox", "nox", "ctest", "jest", "mocha", "vitest", "rspec",
     "trial", "phpunit", "bats", "ava", "unittest", "prove", "busted", "jasmine", "tap", "stestr", "pest", "karma"}
)  # fmt: skip
_MODULES = _RUNNERS | {"test", "doctest", "behave", "robot", "twisted.trial", "test.regrtest"}
_WITH_TEST = frozenset(
    {"make", "gmake", "npm", "yarn", "pnpm", "bun", "deno", "cargo", "go", "mvn", "mvnw", "gradle", "gradlew", "dotnet",
     "mix", "zig", "bazel", "bazelisk", "just", "ninja", "meson", "rake", "rails", "swift", "stack", "cabal", "lein",
     "sbt", "composer", "artisan", "flutter", "dart", "nx", "turbo", "task", "playwright", "manage.py", "setup.py",
     "django-admin", "invoke"}
)  # fmt: skip
_TEST_VERB = re.compile(
    r"(?::?[\w-]{1,80}:){0,4}(?:tests?|check|t|nextest|testOnly|testQuick|vitest|jest|verify|spec)(?:[:._/-][\w:.-]*)?"
)
_OTHER_VERB = frozenset({"install", "add", "i", "ci", "remove", "uninstall", "view", "info", "get", "help", "pip"})
# Whose `check` runs no tests.
_CHECKS = frozenset({"cargo", "cabal", "deno", "stack"})
_NO_RUNS = frozenset(
    {"xargs", "echo", "cat", "grep", "which", "pip", "pip3", "ls", "git", "apt-get", "apt", "sed", "awk", "rm", "find",
     "head", "tail", "touch", "chmod", "cp", "mv", "mkdir", "type", "man", "cd", "diff", "wc", "less", "printf"}
)  # fmt: skip
_NO_RUN_OPTIONS = frozenset({"--version", "--help", "-h", "--collect-only", "--co", "--fixtures", "--markers"})
_WRAPPERS = frozenset(
    {"uv", "poetry", "pipenv", "hatch", "pdm", "rye", "npx", "bunx", "pnpx", "conda", "mamba", "micromamba", "bundle",
     "coverage", "xvfb-run", "docker", "podman", "docker-compose", "yarn", "pnpm", "npm", "bun", "kcov", "unbuffer"}
)  # fmt: skip
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", ".", "source"})
_INTERPRETERS = _SHELLS | {"node", "ruby", "perl", "php", "deno", "bun", "lua", "julia", "Rscript"}
_INNER = _WITH_TEST | _INTERPRETERS | {"coverage"}
_SUITE = re.compile(
    r"(?:^|/)(?:run[-_]?(?:all[-_]?|the[-_]?)?tests?|tests?[-_]?(?:runner|all)|runner)(?:\.\w{1,4})?$"
    r"|(?:^|/)bin/(?:test|doctest)$|(?:^|/)(?:[\w.]*[_-])?tests?$|\.t$"
)
_TESTING_CODE = Pattern(
    r"\b(?:pytest|unittest|nose|doctest)\.(?:main|testmod|testfile|run|TextTestRunner)\(|\w\.(?:doc)?test\("
    r"|\bcall_command\(\s*[\"']test[\"']|\b(?:test_dir|test_file|test_local|Pkg\.test)\("
    r"|minitest/autorun|Test::More|TAP::Harness|node:test"
)
_ABSENT = re.compile(
    r"No module named '?(?:pytest|nose2?|tox|nox|coverage|trial)\b|: (?:command )?not found\s*$|Missing script:",
    re.MULTILINE,
)
_PIPES = frozenset({"|", "||", "|&"})


def find_test_runs(rows: Sequence[StepRow], history: History) -> Iterator[TestRun]:
    """Every run of tests, in order."""
    for row in rows:
        said: tuple[Result, ...] | None = None
        for number, command in enumerate(row.commands):
            target = _test_target(command, history.sources, row.index)
            if target is None:
                continue
            if said is None:
                said = results_in(row.output)
            own = bool(target) and any(base_name(known) == base_name(target) for known in history.sources)
            # Behind a pipe or `|| true`, and before another command, the status of the step is not this command's.
            ends = command.joined == "&&" or number == len(row.commands) - 1
            code = row.exit_code if ends and command.joined not in _PIPES else None
            yield TestRun(row.index, command.raw, _ended(row, said, code), own, row.output, said, code)


def _test_target(command: Command, sources: Mapping[str, Sequence[Source]], step: int, depth: int = 0) -> str | None:
    """The test file that is run; empty for a whole suite; None where no tests are run."""
    words = _unwrapped_runner(command.words)
    if not words or not _NO_RUN_OPTIONS.isdisjoint(words):
        return None
    name = base_name(words[0])
    if name in _NO_RUNS:
        return None
    rest = [word for word in words[1:] if not word.startswith("-")]
    if name in _RUNNERS:
        return next((word for word in rest if is_test(word)), "")
    script = words[0] if "/" in words[0] else ""
    if _PYTHON.fullmatch(name):
        found = _python(words, rest)
        if found is not None:
            return found
        script = rest[0] if rest and "-m" not in words and "-c" not in words else ""
    elif name in _INTERPRETERS:
        if "--test" in words or _TESTING_CODE.search(command.raw):
            return next((word for word in rest if is_test(word)), "")
        script = rest[0] if rest else ""
    if name in _WITH_TEST or base_name(script) in _WITH_TEST:
        return "" if _has_test_verb(name, rest if name in _WITH_TEST else rest[1:]) else None
    if not script:
        return None
    found = _of_script(script, sources, step, depth)
    return script if found is None and (is_test(script) or _SUITE.search(script)) else found


def _has_test_verb(name: str, verbs: list[str]) -> bool:
    """Whether a build tool is told to test."""
    if verbs[:1] == ["check"] and name in _CHECKS:
        return False
    return any(_TEST_VERB.fullmatch(word) for word in verbs) and _OTHER_VERB.isdisjoint(verbs[:1])


def _python(words: Sequence[str], rest: list[str]) -> str | None:
    """The target of a module or of code on the command line."""
    if "-m" in words[:-1]:
        modules = {words[at + 1] for at, word in enumerate(words[:-1]) if word == "-m"}
        if modules & _MODULES or ("django" in modules and "test" in rest):
            return next((word for word in rest if is_test(word) and word not in modules), "")
        return None
    if "-c" in words[:-1]:
        return "" if _TESTING_CODE.search(words[words.index("-c") + 1][:4000]) else None
    return None


def _unwrapped_runner(words: Sequence[str]) -> Sequence[str]:
    """The command that `uv run`, `npx`, `coverage run` and the like run."""
    if not words or base_name(words[0]) not in _WRAPPERS:
        return words
    if base_name(words[0]) == "coverage" and words[1:2] == ("run",):
        return ("python", *words[2:])
    if words[1:2] and words[1] in _OTHER_VERB:
        return words
    for at, word in enumerate(words[1:12], 1):
        name = base_name(word)
        if name in _RUNNERS or _PYTHON.fullmatch(name) or name in _INNER:
            return _unwrapped_runner(words[at:])
    return words


def _of_script(path: str, sources: Mapping[str, Sequence[Source]], step: int, depth: int) -> str | None:
    """The target of a script that the agent wrote."""
    written = (each for known, versions in sources.items() if same_file(known, path) for each in versions)
    source = max((each for each in written if each.step <= step), key=lambda each: each.step, default=None)
    if source is None or depth:
        return None
    if path.endswith((".py", ".js", ".mjs", ".rb", ".pl", ".t", ".R", ".jl")):
        return path if _runs_tests(source.text) else None
    found = (_test_target(command, sources, step, depth + 1) for command in split_commands(source.text[: 1 << 16]))
    return next((target for target in found if target is not None), None)


@lru_cache(maxsize=64)
def _runs_tests(source: str) -> bool:
    """Whether a program runs tests."""
    return _TESTING_CODE.search(source) is not None


def _ended(row: StepRow, said: tuple[Result, ...], code: int | None) -> bool | None:
    if row.timed_out or any(result.ok is False for result in said):
        return False
    good = [result for result in said if result.ok]
    # All may have been skipped.
    if good:
        return True if any(result.passed != 0 or result.expected_failures for result in good) else None
    # With 126 and 127 a shell says that it could not run, or did not find, the program.
    if any(result.ran == 0 for result in said) or code in {126, 127} or (code and _ABSENT.search(row.output[-2000:])):
        return None
    return None if code is None else code == 0
