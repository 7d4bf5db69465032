"""A format of problems: rows with `task_id`, `prompt`, `function`, `arguments` and `answer`, a single call each."""

import msgspec

from honestly.formats import ProblemFormat
from honestly.records import Checks, Edit, Hidden, Tags, Task, Tree

__all__ = ["FORMAT"]


class Row(msgspec.Struct):
    """What a row must hold, and of which types."""

    task_id: str
    prompt: str
    function: str
    arguments: list[int]
    answer: int


def task(row: dict[str, object], seconds: float) -> Task:
    """The task of a row; a malformed one raises `msgspec.ValidationError`, which becomes an error with its place."""
    problem = msgspec.convert(row, Row)
    ask = f"getattr(ws.load('solution'), {problem.function!r})(*{problem.arguments!r})"
    source = f"def test_answer(ws):\n    with ws.limit({seconds!r}):\n        assert {ask} == {problem.answer!r}\n"
    checks = Checks(runner="grader", files=Tree.of({"check_it.py": source}), expected=("check_it.test_answer",))
    hidden = Hidden(checks=checks, reference=Edit())  # these rows hold no solution
    return Task(id=problem.task_id, instruction=problem.prompt, hidden=hidden, tags=Tags(language="python"))


FORMAT = ProblemFormat(frozenset(["task_id", "prompt", "function", "arguments", "answer"]), task, 3.0)
