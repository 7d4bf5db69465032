"""EvalPlus's problems (HumanEval+, MBPP+): many inputs, whose right answers the reference gives.

`base` are the inputs of the original benchmark, `plus` the added ones. What EvalPlus computes ahead and keeps in a
cache is computed by the reference in the grader's sandbox. The problem's `contract` was used when the inputs were made,
and is not needed to judge; EvalPlus does not use it there either.
"""

import re
from typing import Annotated, Any

import msgspec

from honestly.errors import FormatError
from honestly.formats._rows import ProblemRow
from honestly.formats.problems._make_task import Problem, ProblemFormat, packed_data, task_id, utf8_text
from honestly.records import Task

_KEYS = frozenset(["task_id", "prompt", "entry_point", "canonical_solution", "base_input", "plus_input"])
# What an answer may take at least, as in EvalPlus; four times the reference's time, where that is more.
_SECONDS = 4.0

_TOTAL_S = 300.0
_MBPP = re.compile(r"Mbpp/(\d{1,9})")
_GUESTS = ("bridge", "evalplus", "oracle")


class _Row(msgspec.Struct):
    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    base_input: list[Any]
    plus_input: Any
    atol: Annotated[float, msgspec.Meta(ge=0, le=1e300)] = 0.0


def evalplus_task(row: ProblemRow, seconds: float) -> Task:
    """The task of a problem.

    Raises:
        FormatError: a text is not Unicode, or inputs are not lists of arguments.
        msgspec.ValidationError: a field is missing, or of another type.
    """
    problem = msgspec.convert(row, _Row)
    mbpp = _MBPP.fullmatch(problem.task_id)
    program = problem.prompt + problem.canonical_solution
    inputs = {"base": _call_lists("base_input", problem.base_input)}
    # MBPP+ has an empty object where nothing was added.
    if problem.plus_input:
        inputs["plus"] = _call_lists("plus_input", problem.plus_input)
    files = {name: packed_data(f"{name}.json", calls) for name, calls in inputs.items()}
    number = int(mbpp[1]) if mbpp else None
    settings = f"atol={problem.atol!r}, mbpp={number}, seconds={seconds!r}"
    return Problem(
        id=task_id(problem.task_id),
        instruction=f"Write `{problem.entry_point}` in `solution.py`.\n\n```python\n{problem.prompt}\n```\n",
        begun=problem.prompt,
        reference=program,
        setup=f"from evalplus import Problem\n\nPROBLEM = Problem({problem.entry_point!r}, {settings})",
        checks={name: f"PROBLEM.run(ws, {file!r})" for name, (file, _) in files.items()},
        guests=_GUESTS,
        files={"reference.py": utf8_text(program), **dict(files.values())},
        timeout_s=max(_TOTAL_S, 10 * seconds),
    ).task()


def _call_lists(field: str, value: object) -> list[list[Any]]:
    if not isinstance(value, list) or not all(isinstance(arguments, list) for arguments in value):
        raise FormatError(f"`{field}` must contain a list of arguments for each call")
    return value


FORMAT = ProblemFormat(_KEYS, evalplus_task, _SECONDS)
