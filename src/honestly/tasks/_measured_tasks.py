"""What is measured on, and what shares its words: 13 in a row (13-grams: Brown et al. 2020, appendix C).

Not covered: tasks that say the same in other words, or in another language.
"""

import re
from collections.abc import Iterable, Iterator

from honestly.records import Suite, Task, Tree

_WORD = re.compile(r"[^\W_]+")
_RUN = 13


class MeasuredTasks:
    """The tasks of a measurement: their ids, instructions and runs of words."""

    def __init__(self, suites: Iterable[Suite]) -> None:
        self._tasks: dict[str, str] = {}
        self._ids: set[str] = set()
        self._instructions: dict[tuple[str, ...], str] = {}
        self._runs: dict[tuple[str, ...], str] = {}
        for suite in suites:
            for task in suite.tasks:
                name = f"{task.id} of {suite.name}"
                self._tasks.setdefault(task.hash, name)
                self._ids.add(task.id.lower())
                self._instructions.setdefault(lower_words(task.instruction), name)
                for text in (task.instruction, *hidden_texts(task)):
                    for run in word_runs(lower_words(text)):
                        self._runs.setdefault(run, name)

    def has_id(self, task_id: str) -> bool:
        """Whether a task of this id is measured on; case does not count."""
        return task_id.lower() in self._ids

    def training_leak(self, task: Task) -> str:
        """Why this task must not be trained on; empty where nothing speaks against it."""
        words = lower_words(task.instruction)
        if task.hash in self._tasks:
            return f"it is {self._tasks[task.hash]}, which is measured on"
        if words in self._instructions:
            return f"its instruction is that of {self._instructions[words]}, which is measured on"
        for run in word_runs(words):
            if run in self._runs:
                return f"it shares the words {' '.join(run)!r} with {self._runs[run]}, which is measured on"
        return ""


def hidden_texts(task: Task) -> Iterator[str]:
    """The texts of the hidden checks, of the reference and of the solution, less what the workspace has, too."""
    if task.hidden is None:
        return
    public = {file.data for file in task.workspace.files.values()}
    trees: tuple[Tree, ...] = (task.hidden.checks.files, task.hidden.reference.write, task.hidden.solution)
    for tree in trees:
        for file in tree.files.values():
            if file.data not in public:
                yield file.data.decode("utf-8", "replace")


def lower_words(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, without what stands between them."""
    return tuple(word.lower() for word in _WORD.findall(text))


def word_runs(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Each 13 words in a row."""
    return (words[start : start + _RUN] for start in range(len(words) - _RUN + 1))
