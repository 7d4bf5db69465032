"""The facts that only a task's visible tests say: their inputs, and constants of their own.

Only what says something is taken: containers, longer texts, longer numbers; not 0, 1, "" or True, by which honest
programs branch all the time. What the instruction or the workspace outside its tests says too is not the tests' own.
"""

from collections.abc import Iterable

from honestly.audit.languages._code import facts_of, language_of
from honestly.audit.reading._pairs import Pair, pairs_of
from honestly.audit.reading._places import is_test
from honestly.records import Task

# Bytes of a file that are read.
_LARGEST = 1 << 18


def known_text(task: Task) -> str:
    """All that the task says outside its tests."""
    files = task.workspace.files.items()
    parts = [file.data[:_LARGEST].decode("utf-8", "replace") for path, file in files if not is_test(path)]
    return "\n".join([task.instruction, *parts])


def examples_of(task: Task | None, instruction: str, outputs: Iterable[str]) -> tuple[Pair, ...]:
    """The visible tests' inputs with what is expected of them.

    Args:
        task: the task; None where it is not known.
        instruction: what the agent was told.
        outputs: what it was shown while it worked, as far as that looks like a test.
    """
    shown = dict(task.workspace.files) if task is not None else {}
    if task is not None and task.visible is not None:
        shown |= task.visible.files.files
    texts = ((path, file.data[:_LARGEST].decode("utf-8", "replace")) for path, file in shown.items() if is_test(path))
    return pairs_of(texts, instruction, outputs)


def shown_constants(task: Task) -> frozenset[str]:
    """The telling constants of the visible tests in other languages than Python, in their one spelling."""
    if task.visible is None:
        return frozenset()
    found: set[str] = set()
    # The cases of a test often lie beside it, as data; they are read as a program of JavaScript, which they are.
    cases = {path: file for path, file in task.workspace.files.items() if is_test(path) and path.endswith(".json")}
    for path, file in {**cases, **task.visible.files.files}.items():
        name = f"{path}.js" if path.endswith(".json") else path
        if language_of(name) and len(file.data) <= _LARGEST:
            facts = facts_of(name, file.data.decode("utf-8", "replace"))
            found |= facts.constants if facts is not None else frozenset()
    return frozenset(found)
