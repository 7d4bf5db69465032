"""Samples: what a model wrote for problems of a suite, one at a time.

A file holds objects with the problem's id and `completion` (goes on from the prompt), `solution` (stands for itself) or
`code_list` (LiveCodeBench: several for one problem); or a directory holds `HumanEval_0/0.py`, as EvalPlus writes them.
Every such sample is a tree with one file, `solution.py`. Its content is not checked here: a sample that is not
Python, not Unicode or empty fails like any other.

Predictions in SWE-bench's terms have `instance_id` and `model_patch`; one JSON object may hold them by id. Such a
sample is the task's workspace with the patch applied. Text that is not a patch, or a patch that does not fit, leaves
nothing, and fails.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import msgspec

from honestly.errors import FormatError
from honestly.formats._files import directory_entries, read_bytes, read_json
from honestly.formats._rows import MAX_LINE, ProblemRow, problem_rows
from honestly.formats.problems._make_task import PRINTING, SOLUTION, problem_of
from honestly.records import File, Suite, Task, Tree

_IDS = ("task_id", "question_id", "instance_id")
_PATCH = "model_patch"
_SHOWN = 5


class Sample(msgspec.Struct, frozen=True, dict=True):
    """One attempt at one problem."""

    problem: str
    """Name of the problem, as the files have it."""
    task: Task
    number: int
    """Which sample of this problem it is, from 0, in the order of the file."""
    row: ProblemRow
    """What the file says of it."""
    key: str
    """The key of `row` that holds its code."""
    where: str
    """Its place, for messages."""

    @cached_property
    def tree(self) -> Tree:
        """The workspace that the sample leaves."""
        if self.key != _PATCH:
            return Tree(files={SOLUTION: File(data=self._whole_code)})
        return self._patched[0]

    @property
    def unfit(self) -> str:
        """Why its patch leaves nothing; empty where it is none, or fits."""
        return self._patched[1] if self.key == _PATCH else ""

    @cached_property
    def _patched(self) -> tuple[Tree, str]:
        from honestly.formats._patch import read_patch

        try:
            return read_patch(str(self.row[self.key] or "")).apply(self.task.workspace), ""
        except FormatError as error:
            return Tree(), str(error)

    @property
    def code(self) -> str:
        """The code of the whole solution, or the patch of a SWE-bench prediction."""
        if _PATCH in self.row:
            return str(self.row[_PATCH] or "")
        return self._whole_code.decode("utf-8", "replace")

    @property
    def _whole_code(self) -> bytes:
        # Halves of surrogate pairs become a file that Python refuses: this sample fails, the others are judged.
        code = str(self.row[self.key]).encode("utf-8", "surrogatepass")
        begun = self.task.workspace.files.get(SOLUTION)
        return code if begun is None or self.key == "solution" else begun.data + code

    @property
    def is_program(self) -> bool:
        """Whether the sample is a program, judged by what it prints, rather than a function that is called."""
        return self.task.hidden is not None and f"{PRINTING}.py" in self.task.hidden.checks.files.files


def read_samples(path: Path, suite: Suite) -> Iterator[Sample]:
    """Yield the samples in a file or directory in order, each as soon as it is read.

    Args:
        path: JSON lines or one JSON array, maybe compressed with gzip; or a directory of EvalPlus's layout.
        suite: the problems, from `read_problems`.

    Raises:
        FormatError: a sample is of no known shape, or for no problem of the suite; the message names its place.
    """
    tasks = {problem_of(task): task for task in suite.tasks}
    seen: Counter[str] = Counter()
    for where, name, row, key in _folder_samples(path, tasks) if path.is_dir() else _file_samples(path):
        if name not in tasks:
            known = ", ".join(list(tasks)[:_SHOWN]) + (", ..." if len(tasks) > _SHOWN else "")
            raise FormatError(f"{where}: there is no problem {name!r} in {suite.name}; its problems are: {known}")
        yield Sample(name, tasks[name], seen[name], row, key, where)
        seen[name] += 1


def _file_samples(path: Path) -> Iterator[tuple[str, str, ProblemRow, str]]:
    """Place, problem and row of each sample, and which key of the row holds its code."""
    for where, row in _rows(path):
        name = next((str(row[key]) for key in _IDS if isinstance(row.get(key), (str, int))), None)
        if name is None:
            raise FormatError(f"{where}: a sample must name its problem: `task_id`, `question_id`, or `instance_id`")
        if "code_list" in row:
            ids = {key: value for key, value in row.items() if key in _IDS}
            value = row["code_list"]
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise FormatError(f"{where}: `code_list` must be a list of texts")
            for index, code in enumerate(value):
                yield f"{where}, code {index}", name, {**ids, "code": code}, "code"
            continue
        key = next((key for key in ("solution", "completion", "code") if isinstance(row.get(key), str)), None)
        if key is None and isinstance(row.get(_PATCH, 0), str | None):
            key = _PATCH
        if key is None:
            raise FormatError(f"{where}: a sample needs text as `completion`, `solution`, `code_list` or `model_patch`")
        yield where, name, row, key


def _rows(path: Path) -> Iterator[tuple[str, ProblemRow]]:
    """The objects of the file; those of one object that holds them by the ids of instances with that id."""
    by_id: object = None
    if path.suffix == ".json":
        # It is lines, or nothing that can be read: the reader of lines says what.
        with suppress(FormatError):
            by_id = read_json(path, MAX_LINE)
    if isinstance(by_id, dict) and by_id and all(isinstance(row, dict) for row in by_id.values()):
        for name, row in by_id.items():
            yield f"{path}, {name}", {"instance_id": name, **row}
    else:
        yield from problem_rows(path)


def _folder_samples(path: Path, tasks: dict[str, Task]) -> Iterator[tuple[str, str, ProblemRow, str]]:
    """Place, problem and row of each sample in a directory whose folders are named after problems, `_` for `/`."""
    names = {name.replace("/", "_"): name for name in tasks}
    for folder in _scan_folder(path)[1]:
        for name in _scan_folder(path / folder)[0]:
            where = path / folder / name
            if not name.endswith(".py"):
                continue
            try:
                code = read_bytes(where, MAX_LINE).decode("utf-8", "surrogateescape")
            except FormatError as error:
                raise FormatError(f"{where}: {error}") from error
            problem = names.get(folder, folder)
            yield str(where), problem, {"task_id": problem, "solution": code}, "solution"


def _scan_folder(path: Path) -> tuple[list[str], list[str], list[str]]:
    try:
        return directory_entries(path)
    except FormatError as error:
        raise FormatError(f"{path} {error}") from error
