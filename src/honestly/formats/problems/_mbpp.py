"""MBPP's problems, sanitized (`prompt`, `test_imports`) or full (`text`, `test_setup_code`, `challenge_test_list`).

Tests are lists of assertions. Names in them that the reference program defines are the solution's, even where Python
has a function of that name (`sum` in MBPP/126); other built-in names, and modules, are Python's own.
"""

import re

import msgspec

from honestly.formats._rows import ProblemRow
from honestly.formats.problems._make_task import Problem, ProblemFormat, task_id, utf8_text
from honestly.records import Task

_KEYS = frozenset(["task_id", "code", "test_list"])
# What a solution may take for all calls of a check together.
_SECONDS = 3.0

_SPARE_S = 60.0
_DEFINED = re.compile(r"^(?:(?:async[ \t]+)?def|class)[ \t]+([A-Za-z_]\w*)|^([A-Za-z_]\w*)[ \t]*=[^=]", re.MULTILINE)


class _Row(msgspec.Struct):
    task_id: str | int
    code: str
    test_list: list[str]
    text: str = ""
    prompt: str = ""
    test_imports: list[str] = []
    test_setup_code: str = ""
    challenge_test_list: list[str] = []


def mbpp_task(row: ProblemRow, seconds: float) -> Task:
    """The task of a problem; the challenge tests, where there are any, are a check of their own.

    Raises:
        FormatError: a text is not Unicode.
        msgspec.ValidationError: a field is missing, or of another type.
    """
    problem = msgspec.convert(row, _Row)
    before = [problem.test_setup_code, *problem.test_imports]
    tests = {"tests": problem.test_list}
    if problem.challenge_test_list:
        tests["challenge"] = problem.challenge_test_list
    functions = tuple(dict.fromkeys(a or b for a, b in _DEFINED.findall(problem.code)))
    made = [f"{name.upper()} = Tests({functions!r}, tests={f'{name}.py'!r}, seconds={seconds!r})" for name in tests]
    shown = "\n".join(problem.test_list)
    return Problem(
        id=task_id(str(problem.task_id)),
        instruction=f"{problem.prompt or problem.text}\n\nWrite it in `solution.py`. It must pass:\n\n"
        f"```python\n{shown}\n```\n",
        reference=problem.code,
        setup="\n".join(["from bridge import Tests\n", *made]),
        checks={name: f"{name.upper()}.run(ws)" for name in tests},
        files={f"{name}.py": utf8_text("\n".join([*before, *lines]) + "\n") for name, lines in tests.items()},
        timeout_s=len(tests) * seconds + _SPARE_S,
    ).task()


FORMAT = ProblemFormat(_KEYS, mbpp_task, _SECONDS)
