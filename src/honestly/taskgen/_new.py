"""`honestly task new`: a tiny task that is fair as it stands, in which everything says what it is for.

The examples lie in `projects/`, one folder for each language; their task.toml is the same.
"""

import os
from importlib.resources import as_file, files
from pathlib import Path

from honestly.errors import TaskError
from honestly.records import Tree
from honestly.tasks import task_id, write_tree
from honestly.work import new_folder

LANGUAGES = ("python", "bash")


def new_task(folder: Path, language: str = "python") -> list[Path]:
    """Writes a task into a new folder; returns its files.

    Args:
        folder: must not exist; its name becomes the task's id.
        language: one of `LANGUAGES`.

    Raises:
        TaskError: it exists, its name is none for a task, or it cannot be written.
    """
    if language not in LANGUAGES:
        raise TaskError(f"there is no example in {language!r}; there is one in: {', '.join(LANGUAGES)}")
    name = task_id(folder.resolve().name, folder)
    if os.path.lexists(folder):
        raise TaskError(f"{folder} exists; a task is written into a new folder, so give another name")
    with as_file(files("honestly.taskgen").joinpath("projects")) as examples:
        example = Tree.read(examples / language)
        toml = (examples / "task.toml").read_text("utf-8").format(name=name, language=language)
    kept = example.only(path for path in example.files if "__pycache__" not in path)  # of who installed them
    tree = Tree.of({"task.toml": toml}).over(kept)
    with new_folder(folder, TaskError) as part:
        write_tree(part, tree)
    return [folder / path for path in tree.files]
