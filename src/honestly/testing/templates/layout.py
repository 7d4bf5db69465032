"""A layout: each folder with an `ask.md` is a task, `right.py` the solution, `check_it.py` the hidden checks."""

from functools import partial
from pathlib import Path

from honestly.records import Checks, Edit, Hidden, Task, Tree
from honestly.tasks import FoundTasks

__all__ = ["layout"]


def layout(root: Path) -> FoundTasks | None:
    """What is in `root`; None where it is in another layout."""
    folders = sorted(path.parent for path in root.glob("*/ask.md"))
    load = {folder.name: partial(_load, folder) for folder in folders}
    return FoundTasks(name=root.resolve().name, version="1", load=load) if load else None


def _load(folder: Path) -> tuple[Task, ...]:
    checks = Tree.of({"check_it.py": (folder / "check_it.py").read_text("utf-8")})
    solution = Edit(write=Tree.of({"answer.py": (folder / "right.py").read_text("utf-8")}))
    hidden = Hidden(checks=Checks(runner="grader", files=checks, expected=("check_it.test_it",)), reference=solution)
    return (Task(id=folder.name, instruction=(folder / "ask.md").read_text("utf-8"), hidden=hidden),)
