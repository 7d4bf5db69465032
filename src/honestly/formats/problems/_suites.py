"""Files of function-level problems as suites: HumanEval, EvalPlus, MBPP, LiveCodeBench.

The format is seen from the keys of the first object. Everything is read and checked before anything runs; nothing is
downloaded.
"""

from pathlib import Path

import msgspec

from honestly.errors import FormatError
from honestly.formats._rows import problem_rows
from honestly.formats._seams import PROBLEMS
from honestly.formats.problems._make_task import ProblemFormat, problem_name
from honestly.records import Suite, Task

_MOST = 20_000


def problem_format(path: Path) -> str:
    """Recognise the format of a file of problems from the keys of its first object.

    Raises:
        FormatError: the file cannot be read, is empty, or in no format that is known.
    """
    for where, row in problem_rows(path):
        keys = {}
        for name in PROBLEMS.each_name():
            keys[name] = _format(name).keys
            if keys[name] <= row.keys():
                return name
        wanted = "; ".join(f"{name}: {', '.join(sorted(each))}" for name, each in keys.items())
        raise FormatError(
            f"{where}: a problem in no known format; its keys are: {', '.join(map(repr, row))[:500]}. "
            f"Each format has at least these keys: {wanted}"
        )
    raise FormatError(f"{path} contains no problems")


def read_problems(path: Path, format: str | None = None, *, seconds: float | None = None) -> Suite:  # noqa: A002
    """Read a file of problems (JSON lines or one JSON array, maybe compressed with gzip) as a suite.

    Each problem becomes a task with one file, `solution.py`, to write. Its hidden checks run the problem's own tests
    over the wire (docs/formats.md).

    Args:
        path: the file.
        format: a name in `PROBLEMS`, or `module:object`; None to recognise it from the first object.
        seconds: what a solution may take, per check or per answer as the format has it; None for the format's own.

    Raises:
        FormatError: the file is not that; the message begins with the file and line.
    """
    chosen = _format(problem_format(path) if format is None else format)
    places: dict[str, str] = {}
    tasks: list[Task] = []
    for where, row in problem_rows(path):
        try:
            task = chosen.task(row, chosen.seconds if seconds is None else seconds)
        except (FormatError, msgspec.ValidationError, UnicodeEncodeError) as error:
            # The last of the errors is half a surrogate pair's.
            raise FormatError(f"{where}: {error}") from error
        if task.id in places:
            raise FormatError(f"{where}: the problem {problem_name(task.id)!r} is already at {places[task.id]}")
        if len(tasks) == _MOST:
            raise FormatError(f"{where}: more than {_MOST} problems; split the file")
        places[task.id] = where
        tasks.append(task)
    if not tasks:
        raise FormatError(f"{path} contains no problems")
    name = path.name.encode("utf-8", "backslashreplace").decode()
    for ending in (".gz", ".jsonl", ".json"):
        name = name.removesuffix(ending)
    return Suite(name=name or "problems", version="0", tasks=tuple(tasks))


def _format(name: str) -> ProblemFormat:
    chosen = PROBLEMS.make_object(name)
    if not isinstance(chosen, ProblemFormat):
        raise FormatError(f"format {name!r} is of type {type(chosen).__name__}; expected a ProblemFormat")
    return chosen
