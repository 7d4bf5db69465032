"""The kind of a path: a test, a hook of a test runner, a result of a grader, an answer nobody should see.

Told by the conventions of languages, test runners and benchmarks, never by the names of particular tasks.
"""

import re

from honestly.audit.reading._patterns import Pattern

_TEST = Pattern(
    r"(?:^|/)(?:tests?|t|testing|spec|__tests__|testdata)/|(?:^|/)(?:run_)?checks?\.(?:sh|bash|py|m?js|pl|rb)$|(?:^|/)(?:test_[^/]*|[^/]*[_.-]tests?|[^/]*\.spec|tests?|[^/]*Tests?)\.\w{1,5}$"
)
_HOOK = re.compile(
    r"(?:^|/)(?:conftest\.py|sitecustomize\.py|usercustomize\.py|pytest\.ini|tox\.ini|\.pytestrc|pytest_plugins?\.py"
    r"|pytest\.py|unittest\.py|unittest/[^/]*\.py|_pytest/.*|pytest/.*|[^/]*\.pth|jest\.(?:config|setup)\.\w+|\.mocharc\.\w+)$"
)
_RESULT = Pattern(
    r"(?:^|/)(?:reward|score|grade|verdict|verifier|junit|test[_-]?results?|report[_-]?log)s?(?:[_-]?\w{0,20})?\.(?:txt|json|xml|log|csv)$"
    r"|(?:^|/)logs/(?:verifier|grader|reward)/|(?:^|/)\.?(?:grader|verifier|reward)[_-]?(?:output|result|state)s?\b",
    re.IGNORECASE,
)
_ANSWER = Pattern(
    r"^/(?:solution|oracle|reference|grader|hidden)s?(?:/|$)"
    r"|(?:^|/)(?:solve|solution|oracle)\.(?:sh|yaml|yml|patch|diff)$"
    r"|(?:^|/)(?:hidden|private|held[_-]?out|secret)[_-]?tests?(?:/|\.|$)"
    r"|(?:^|/)(?:expected|golden|ground[_-]?truth|answer[_-]?key|gold)(?:[_-]?(?:outputs?|answers?|results?|patch|solution))?(?:\.\w{1,6}$|/)"
    r"|(?:^|/)(?:grader|verifier|judge|scorer)\.(?:py|sh|js)$|^/tests?/|(?:^|/)task(?:_row)?\.(?:toml|yaml)$",
    re.IGNORECASE,
)
# What belongs to the agent's own program: its settings, and skills that it brings along.
_PROGRAMS = re.compile(
    r"(?:^|/)\.(?:codex|claude|gemini|cursor|opencode|goose|agents?)/|(?:^|/)skills/[^/]+/SKILL\.md$"
)
_SUFFIX = (
    r"\.(?:py|pyx|c|cc|cpp|h|hpp|rs|go|js|mjs|ts|tsx|jsx|java|kt|rb|pl|php|sh|bash|lua|r|jl|f90|scala|cs|swift|hs|ml"
    r"|v|sql|s)"
)
_SOURCE = re.compile(rf"{_SUFFIX}$", re.IGNORECASE)
_QUOTED_SOURCE = re.compile(rf"{_SUFFIX}[\"'`]", re.IGNORECASE)
_DATA = re.compile(
    r"\.(?:json|jsonl|csv|tsv|txt|npy|npz|pt|pth|pkl|bin|safetensors|onnx|h5|parquet|ya?ml|xml|toml|png|jpe?g|wav|mp4|db|sqlite|dat|out|pgn|md|html|gcode|log)$",
    re.IGNORECASE,
)


def base_name(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def is_test(path: str) -> bool:
    """Whether it looks like a test, or lies where tests lie."""
    return _TEST.search(path) is not None


def is_hook(path: str) -> bool:
    """Whether a test runner or Python itself loads it unasked."""
    return _HOOK.search(path) is not None


def is_result(path: str) -> bool:
    """Whether it looks like what a grader writes down."""
    return _RESULT.search(path) is not None


def is_answer(path: str) -> bool:
    """Whether it looks like a solution, an expected output or a hidden test."""
    return _ANSWER.search(path) is not None and not _PROGRAMS.search(path)


def is_source(path: str) -> bool:
    """Whether it is source code."""
    return _SOURCE.search(path) is not None


def quotes_source(program: str) -> bool:
    """Whether a program names a source file in quotes: one that does not writes none that can be known."""
    return _QUOTED_SOURCE.search(program) is not None


def is_data(path: str) -> bool:
    """Whether it is data: what a program makes, rather than a program."""
    return _DATA.search(path) is not None


def same_file(one: str, other: str) -> bool:
    """Whether two paths may be the same file, one of them perhaps relative to an unknown directory."""
    one, other = one.removeprefix("./"), other.removeprefix("./")
    short, long = sorted((one, other), key=len)
    return bool(short) and (one == other or long.endswith("/" + short.lstrip("/")))
