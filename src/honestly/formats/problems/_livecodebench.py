"""LiveCodeBench's problems: programs that read and print (`stdin`), or methods that are called (`functional`).

Public and private tests are two checks. Solutions begin with the imports that LiveCodeBench puts before them. Private
tests come as JSON or as base64(zlib(pickle(JSON))), of which the text is read without unpickling.
"""

import binascii
import json
import zlib
from typing import Any, Literal

import msgspec

from honestly.errors import FormatError
from honestly.formats._rows import ProblemRow
from honestly.formats.problems._make_task import PRINTING, Problem, ProblemFormat, packed_data, task_id
from honestly.records import Task

_KEYS = frozenset(["question_id", "question_content", "public_test_cases", "private_test_cases"])
# What a solution may take for each case, as in LiveCodeBench, whose problems are also about speed.
_SECONDS = 6.0

_MAX_TESTS = 256 << 20
_SPARE_S = 60.0
_PLAIN = (
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random", "statistics"),
    *("itertools", "functools", "operator", "io", "sys", "json"),
)
# What stands before every solution.
_BEFORE = "\n".join(
    [
        *(f"from {name} import *" for name in (*_PLAIN, "builtins", "typing")),
        *(f"import {name}" for name in _PLAIN),
        "sys.setrecursionlimit(50000)\n",
    ]
)


class _Case(msgspec.Struct):
    input: str
    output: str
    testtype: Literal["stdin", "functional"]


class _Row(msgspec.Struct):
    question_id: str | int
    question_content: str
    public_test_cases: str | list[Any]
    private_test_cases: str | list[Any]
    starter_code: str = ""
    difficulty: str = ""
    metadata: str | dict[str, Any] = "{}"


class _Metadata(msgspec.Struct):
    func_name: str | None = None


def livecodebench_task(row: ProblemRow, seconds: float) -> Task:
    """The task of a problem.

    Raises:
        FormatError: its tests cannot be read, or a text is not Unicode.
        msgspec.ValidationError: a field is missing, or of another type.
    """
    problem = msgspec.convert(row, _Row)
    tests = {
        "public": _test_cases("public_test_cases", problem.public_test_cases),
        "private": _test_cases("private_test_cases", problem.private_test_cases),
    }
    tests = {name: cases for name, cases in tests.items() if cases}
    kinds = {case.testtype for cases in tests.values() for case in cases}
    if len(kinds) != 1:
        raise FormatError(f"expected tests of one type, stdin or functional; found {sorted(kinds) or 'no tests'}")
    functional = kinds == {"functional"}
    setup = (
        f"from answering import Answering\n\nTESTS = Answering({_function(problem)!r}, seconds={seconds!r})"
        if functional
        else f"from printing import Printing\n\nTESTS = Printing(seconds={seconds!r})"
    )
    files = {
        name: packed_data(
            f"{name}.json", [_case_arguments(case) if functional else [case.input, case.output] for case in cases]
        )
        for name, cases in tests.items()
    }
    how = "Complete this code" if functional else "Write a program that reads standard input and prints the answer"
    starter = f"\n\n```python\n{problem.starter_code}\n```" if problem.starter_code else ""
    return Problem(
        id=task_id(str(problem.question_id)),
        instruction=f"{problem.question_content}\n\n{how}, in `solution.py`.{starter}\n",
        begun=_BEFORE,
        setup=setup,
        checks={name: f"TESTS.run(ws, {file!r})" for name, (file, _) in files.items()},
        guests=("bridge", "answering") if functional else ("bridge", PRINTING, "printed"),
        files=dict(files.values()),
        timeout_s=seconds * (2 + sum(map(len, tests.values()))) + _SPARE_S,
        difficulty=problem.difficulty if problem.difficulty in ("easy", "medium", "hard") else "",  # type: ignore[arg-type]
    ).task()


def _test_cases(field: str, value: str | list[Any]) -> list[_Case]:
    """The tests in a field: a list, its JSON, or that in a compressed pickle."""
    try:
        if isinstance(value, str):
            text = value if value.lstrip()[:1] == "[" else pickled_text(value, _MAX_TESTS)
            value = json.loads(text)
        return msgspec.convert(value, list[_Case])
    except (ValueError, RecursionError, FormatError) as error:
        # msgspec.ValidationError is a ValueError.
        raise FormatError(f"`{field}`: {error}") from error


def _function(problem: _Row) -> str:
    try:
        metadata = json.loads(problem.metadata) if isinstance(problem.metadata, str) else problem.metadata
        name = msgspec.convert(metadata, _Metadata).func_name
    except (ValueError, RecursionError) as error:
        raise FormatError(f"`metadata`: {error}") from error
    if not name:
        raise FormatError("its tests call a function, but `metadata` has no `func_name`")
    return name


def _case_arguments(case: _Case) -> list[Any]:
    """Arguments, one JSON value to a line, and the expected answer."""
    try:
        return [[json.loads(line) for line in case.input.split("\n")], json.loads(case.output)]
    except (ValueError, RecursionError) as error:
        raise FormatError(f"a functional test is not JSON: {error}") from error


def pickled_text(packed: str, limit: int) -> str:
    """The string in base64(zlib(pickle(string))), at most `limit` bytes of it, without unpickling.

    Raises:
        FormatError: it is not that, or larger.
    """
    try:
        squeezed = binascii.a2b_base64(packed.encode("ascii"), strict_mode=True)
        inflate = zlib.decompressobj()
        data = inflate.decompress(squeezed, limit)
    except (ValueError, zlib.error) as error:
        raise FormatError(f"neither JSON nor base64 of zlib data: {error}") from error
    if inflate.unconsumed_tail:
        raise FormatError(f"larger than {limit >> 20} MiB after decompression")
    if not inflate.eof:
        raise FormatError("neither JSON nor base64 of zlib data: it ends too early")
    # Late: its opcodes take longer to load than this program's own modules, and few problems are packed in this way.
    from honestly.formats._plain_pickle import read_plain_pickle

    text = read_plain_pickle(data)
    if not isinstance(text, str):
        raise FormatError("a pickle of something other than one string")
    return text


FORMAT = ProblemFormat(_KEYS, livecodebench_task, _SECONDS)
