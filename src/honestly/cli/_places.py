"""The argument of a command that is a study: a file, an address in a database, or somebody else's results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from honestly.cli._options import F, progress_bar, say


class StudyPlace(click.Path):
    """A study: the path of its file, or its address in a database."""

    def __init__(self, *, exists: bool = False, folder: bool = False) -> None:
        """`folder`: whether a folder will do, too."""
        super().__init__(path_type=Path, dir_okay=folder or exists, exists=exists)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401
        """The path, or the address as one; whether there is a study is the command's to find out."""
        from honestly.store import is_address, study_path

        if is_address(value):
            return study_path(value)
        return Path(super().convert(value, param, ctx))  # type: ignore[arg-type]


class StudyPath(StudyPlace):
    """A study; or somebody else's results, which are imported once into the user's cache."""

    def __init__(self, *, long_tables: bool = False) -> None:
        super().__init__(folder=True)
        self._long_tables = long_tables
        """Whether the command takes a table as it is where that is too long to be imported."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401
        """The path of a study; one that does not exist is the command's to refuse."""
        from honestly.store import is_address

        path = super().convert(value, param, ctx)
        if is_address(path):
            return path
        if path.is_dir() or (path.is_file() and path.stat().st_size > 0 and not _is_sqlite(path)):
            from honestly.studies import is_long_table, study_of

            if not (self._long_tables and is_long_table(path)):
                with progress_bar("importing", quiet=False) as line:
                    return study_of(path, say, lambda where, trials: line(trials, 0, where))
        return path


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return True  # opening it as a study says why it cannot be read


def study_argument(command: F) -> F:
    """The study to read, or somebody's results."""
    return click.argument("study", type=StudyPath())(command)
