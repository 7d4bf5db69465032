"""HumanEval's problems: a prompt to go on from, and `check(candidate)`.

Any data set in this format will do. The tests run as they are; helpers that they take from the prompt (`poly` in
HumanEval/32) are the reference's, where the original harness lets the solution define its own.
"""

import msgspec

from honestly.formats._rows import ProblemRow
from honestly.formats.problems._make_task import Problem, ProblemFormat, task_id, utf8_text
from honestly.records import Task

_KEYS = frozenset(["task_id", "prompt", "entry_point", "test"])
# What a solution may take for all calls together; the original counts the start of its process and the tests, too.
_SECONDS = 3.0

_SPARE_S = 60.0


class _Row(msgspec.Struct):
    task_id: str | int
    prompt: str
    entry_point: str
    test: str
    canonical_solution: str = ""


def humaneval_task(row: ProblemRow, seconds: float) -> Task:
    """The task of a problem.

    Raises:
        FormatError: a text is not Unicode.
        msgspec.ValidationError: a field is missing, or of another type.
    """
    problem = msgspec.convert(row, _Row)
    # A prompt ends in the docstring of a function; without a body of its own that is one already, but not in every set.
    program = problem.prompt + (problem.canonical_solution or "\n    pass\n")
    task = f"Complete `{problem.entry_point}`, which `solution.py` begins."
    settings = f'({problem.entry_point!r},), tests="tests.py", reference="reference.py", seconds={seconds!r}'
    return Problem(
        id=task_id(str(problem.task_id)),
        instruction=f"{task}\n\n```python\n{problem.prompt}\n```\n",
        begun=problem.prompt,
        reference=program if problem.canonical_solution else "",
        setup=f"from bridge import Tests\n\nTESTS = Tests({settings})",
        checks={"check": 'TESTS.run(ws, call="check")'},
        files={"reference.py": utf8_text(program), "tests.py": utf8_text(problem.test)},
        timeout_s=seconds + _SPARE_S,
    ).task()


FORMAT = ProblemFormat(_KEYS, humaneval_task, _SECONDS)
