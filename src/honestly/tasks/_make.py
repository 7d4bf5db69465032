"""A task from texts: for a notebook, or a test, that needs no folder."""

from collections.abc import Mapping

from honestly.errors import TaskError
from honestly.records import Checks, Edit, Hidden, Tags, Task, Tree, WrongSolution
from honestly.tasks._test_ids import hidden_ids, pytest_ids, syntax_tree, unittest_ids

Texts = Mapping[str, str | bytes]


def make_task(
    task_id: str,
    instruction: str,
    files: Texts,
    *,
    visible: Texts = {},  # noqa: B006 - only read
    hidden: Texts,
    reference: Texts,
    wrong: Mapping[str, Texts] = {},
) -> Task:
    """A task of your own; `check_tasks` proves that it is fair.

    Args:
        task_id: letters, digits, `.`, `_`, `-`.
        instruction: what the agent is told, Markdown.
        files: what the workspace starts with, by path.
        visible: test files that the agent may read and run, `unittest` or `pytest`; they lie in the workspace.
        hidden: modules of functions `test_*(ws)`, which see the work over a wire only (docs/tasks.md).
        reference: files that, put over the workspace, solve the task.
        wrong: by name, files that, put over the solved workspace, make a plausible wrong solution.

    Raises:
        TaskError: a path leads out of the workspace, or test files hold no tests.
    """
    shown, checks, solved = Tree.of(visible), Tree.of(hidden), Tree.of(reference)
    return Task(
        id=task_id,
        instruction=instruction,
        workspace=shown.over(Tree.of(files)),
        visible=_visible(shown) if visible else None,
        hidden=Hidden(
            checks=Checks(runner="grader", files=checks, expected=hidden_ids(checks, task_id)),
            reference=Edit(write=solved),
            wrong=tuple(
                WrongSolution(name=name, edit=Edit(write=Tree.of(texts).over(solved))) for name, texts in wrong.items()
            ),
        ),
        tags=Tags(language="python"),
    )


def _visible(tests: Tree) -> Checks:
    trees = {path: syntax_tree(file.data, path) for path, file in tests.files.items() if path.endswith(".py")}
    methods = tuple(test for path, tree in trees.items() for test in unittest_ids(path, tree))
    functions = tuple(test for path, tree in trees.items() for test in pytest_ids(path, tree))
    if not functions:
        raise TaskError(
            f"the visible test files hold no tests: {', '.join(tests.files)}; expected unittest test methods"
        )
    if len(methods) == len(functions):
        return Checks(runner="unittest", files=tests, expected=methods)
    return Checks(runner="pytest", files=tests, expected=functions)
