"""Exercises of an Exercism track, and of Aider's polyglot benchmark, which has the same layout. Python so far.

    TRACK/config.json                            which exercises there are, and how difficult (may be missing)
    TRACK/exercises/practice/SLUG/.meta/config.json   which files are what: nothing is guessed from their names
    TRACK/exercises/practice/SLUG/.docs/*.md     the instructions
    TRACK/exercises/concept/SLUG/...             the same

The agent starts with the stubs; the tests are hidden unless they are asked to be shown. They run inside the sandbox, as
unittest files where they are such, and with pytest otherwise. Exercises that the track calls deprecated are left out.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from honestly.errors import TaskError
from honestly.records import Checks, Edit, File, Hidden, Tags, Task, Tree
from honestly.tasks._reading import FoundTasks, file_at, json_at, sorted_folders, task_id, text_at
from honestly.tasks._test_ids import pytest_ids, syntax_tree, unittest_ids

_KINDS = ("practice", "concept")
_DOCS = ("introduction.md", "instructions.md", "instructions.append.md")
_CONFIG = ".meta/config.json"
_EASY, _MEDIUM = 3, 7
"""The largest of Exercism's difficulties, 1 to 10, that are easy, and medium."""

_Names = list[Annotated[str, msgspec.Meta(min_length=1)]]


class _Entry(msgspec.Struct):
    slug: str
    difficulty: int = 0
    status: str = ""


class _Exercises(msgspec.Struct):
    practice: list[_Entry] = []
    concept: list[_Entry] = []


class _Track(msgspec.Struct):
    language: str = "Python"
    exercises: _Exercises = msgspec.field(default_factory=_Exercises)


class _Files(msgspec.Struct):
    solution: Annotated[_Names, msgspec.Meta(min_length=1)]
    test: Annotated[_Names, msgspec.Meta(min_length=1)]
    example: _Names = []
    exemplar: _Names = []
    editor: _Names = []


class _Exercise(msgspec.Struct):
    files: _Files


def find_exercises(root: Path, *, visible_tests: bool = False) -> FoundTasks | None:
    """The exercises of the Exercism track in `root`; None if `root` is not a track.

    Raises:
        TaskError: it is one for another language, or holds several tracks.
    """
    if not any((root / "exercises" / kind).is_dir() for kind in _KINDS):
        tracks = [path.name for path in sorted_folders(root) if (path / "exercises" / "practice").is_dir()]
        if tracks:
            raise TaskError(f"{root} contains the tracks of several languages: give one of them: {', '.join(tracks)}")
        return None
    track = json_at(root, "config.json", _Track) if (root / "config.json").exists() else _Track()
    if track.language != "Python":
        raise TaskError(f"{root} is the track of {track.language!r}; the exercises of Python's can be run so far")
    entries = {entry.slug: entry for entry in (*track.exercises.practice, *track.exercises.concept)}
    found = {path.name: path for kind in _KINDS for path in sorted_folders(root / "exercises" / kind)}
    kept = {
        task_id(name, path): path
        for name, path in sorted(found.items())
        if (path / _CONFIG).exists() and (name not in entries or entries[name].status != "deprecated")
    }
    return FoundTasks(
        name=root.resolve().name,
        version="0",
        load={
            name: partial(_load_exercises, path, entries[name].difficulty if name in entries else 0, visible_tests)
            for name, path in kept.items()
        },
    )


def _load_exercises(folder: Path, difficulty: int, visible_tests: bool) -> tuple[Task, ...]:
    files = json_at(folder, _CONFIG, _Exercise).files
    tests = _exercise_checks(folder, files)
    workspace = Tree(files={name: file_at(folder, name) for name in (*files.solution, *files.editor)})
    instruction = "\n\n".join(
        text_at(folder, f".docs/{name}").strip() for name in _DOCS if (folder / ".docs" / name).exists()
    )
    if not instruction:
        raise TaskError(f"{folder} has no instructions: expected .docs/instructions.md")
    named = " and ".join(f"`{name}`" for name in files.solution)
    return (
        Task(
            id=folder.name,
            instruction=f"{instruction}\n\nWrite the solution in {named}.\n",
            workspace=tests.files.over(workspace) if visible_tests else workspace,
            visible=tests if visible_tests else None,
            hidden=Hidden(checks=tests, reference=Edit(write=_reference(folder, files))),
            tags=Tags(category="implement", language="python", difficulty=_grade(difficulty)),
        ),
    )


def _exercise_checks(folder: Path, files: _Files) -> Checks:
    tests = Tree(files={name: file_at(folder, name) for name in files.test})
    trees = {name: syntax_tree(file.data, folder / name) for name, file in tests.files.items() if name.endswith(".py")}
    runner: Literal["unittest", "pytest"] = (
        "pytest" if any(b"import pytest" in file.data for file in tests.files.values()) else "unittest"
    )
    ids = pytest_ids if runner == "pytest" else unittest_ids
    expected = tuple(test for name, tree in trees.items() for test in ids(name, tree))
    if not expected:
        raise TaskError(f"{folder}: there are no tests in {', '.join(files.test)}; expected unittest test methods")
    return Checks(runner=runner, files=tests, expected=expected)


def _reference(folder: Path, files: _Files) -> Tree:
    """The example, under the names of the solution's files."""
    examples = files.example or files.exemplar
    if len(examples) < len(files.solution):
        raise TaskError(f"{folder}/{_CONFIG} names fewer files of an example than of the solution")
    names = [*files.solution, *(name.rpartition("/")[2] for name in examples[len(files.solution) :])]
    return Tree(
        files={name: File(data=file_at(folder, example).data) for name, example in zip(names, examples, strict=True)}
    )


def _grade(difficulty: int) -> Literal["", "easy", "medium", "hard"]:
    if difficulty < 1:
        return ""
    return "easy" if difficulty <= _EASY else "medium" if difficulty <= _MEDIUM else "hard"
