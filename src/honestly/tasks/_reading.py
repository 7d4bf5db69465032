"""Reading somebody else's folders of tasks: bounded, never out of the folder, never through a link.

What is wrong is a TaskError that begins with the path.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from honestly._toml import refusal_text
from honestly.errors import FormatError, TaskError
from honestly.formats import read_bytes, read_json
from honestly.records import File, Task, Tree

_LARGEST = 16 << 20
_ID = re.compile(r"[A-Za-z0-9._-]+")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FoundTasks:
    """A folder of tasks that was recognized, and how each of them is loaded."""

    name: str
    version: str
    load: Mapping[str, Callable[[], tuple[Task, ...]]]
    """What loads each task, by id; a task and its impossible twin are loaded together."""
    headline: str = ""
    """The tag whose groups count alike in the suite's score; empty where tasks do."""


def path_at(root: Path, name: str) -> Path:
    """Where the file of that name, which somebody wrote down, lies below `root`.

    Raises:
        TaskError: the name leads out of it, or over a link.
    """
    try:
        Tree(files={name: File()})
    except TaskError as error:
        raise TaskError(f"{root}: {error}") from error
    path = root
    for part in name.split("/"):
        path /= part
        if path.is_symlink():
            raise TaskError(f"{path} is a link; put the file itself there")
    return path


def positive_number(value: object) -> float | None:
    """A number that somebody declared; None where it is none, or not above 0."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if 0 < number < float("inf") else None


def file_at(root: Path, name: str) -> File:
    """The file of that name below `root`; TaskError if it does not exist."""
    path = path_at(root, name)
    if not path.is_file():
        raise TaskError(f"{root} has no {name}")
    try:
        return File(data=read_bytes(path, _LARGEST), mode="exec" if path.stat().st_mode & 0o100 else "file")
    except (FormatError, OSError) as error:
        raise TaskError(f"{path}: {error}") from error


def text_at(root: Path, name: str) -> str:
    """Text of the file with that name below `root`; TaskError if it does not exist or is not UTF-8."""
    try:
        return file_at(root, name).data.decode()
    except UnicodeDecodeError as error:
        raise TaskError(f"{root / name} is not UTF-8: {error}") from error


def json_at(root: Path, name: str, kind: type[T]) -> T:
    """The content of a JSON file, as a record; TaskError if it says something else."""
    path, found = path_at(root, name), None
    try:
        found = read_json(path)
        return msgspec.convert(found, type=kind)
    except (FormatError, msgspec.ValidationError, UnicodeEncodeError) as error:  # the last: half a surrogate pair
        raise TaskError(f"{path}: {refusal_text(error, found)}") from error


def sorted_folders(root: Path) -> list[Path]:
    """The folders in a folder, links left out, by name."""
    found = root.iterdir() if root.is_dir() and not root.is_symlink() else ()
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())


def task_id(name: str, place: object) -> str:
    """A name that a task may have.

    Raises:
        TaskError: it has other characters.
    """
    if not _ID.fullmatch(name):
        raise TaskError(f"{str(place)!r} cannot be a task: its name may have letters, digits, '.', '_', '-'")
    return name
