"""`honestly study`: studies as files, listed, renamed, archived, dropped and brought back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import StudyPlace, json_option, newest_study, one_line_name, print_json, say_on_stderr, show
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.store._places import MovedStudy, StudyFile

_folder = click.argument("folder", type=StudyPlace(folder=True), default=".")
_studies = click.argument("studies", type=StudyPlace(), nargs=-1, required=True, metavar="STUDY...")


@click.command()
@_folder
@click.option("--all", "every", is_flag=True, help="Also list archived and removed studies.")
@json_option
def ls(folder: Path, every: bool, as_json: bool) -> None:
    """List the studies of FOLDER (default: here): trials, size, last change."""
    from honestly.store._files import list_studies

    found = [each for each in list_studies(folder) if every or each.place == "here"]
    if as_json:
        print_json({"studies": [_study_entry(each) for each in found]})
    elif found:
        show(_studies_table(found, folder))
    else:
        say_on_stderr(f"no studies in {one_line_name(str(folder))}")


@click.command()
@click.argument("study", type=StudyPlace(), default=newest_study)
@click.argument("name")
@json_option
def rename(study: Path, name: str, as_json: bool) -> None:
    """Rename STUDY to NAME, in its folder."""
    from honestly.store._files import rename_study

    _print_moves([rename_study(study, name)], as_json=as_json)


@click.command()
@_studies
@json_option
def archive(studies: tuple[Path, ...], as_json: bool) -> None:
    """Move each STUDY to the folder `archived` next to it."""
    from honestly.store._files import archive_study

    _move_each(archive_study, studies, as_json=as_json)


@click.command()
@_studies
@json_option
def drop(studies: tuple[Path, ...], as_json: bool) -> None:
    """Move each STUDY to the folder `dropped` next to it; `restore` brings it back, `empty` deletes it."""
    from honestly.store._files import drop_study

    _move_each(drop_study, studies, as_json=as_json)


@click.command()
@_studies
@json_option
def restore(studies: tuple[Path, ...], as_json: bool) -> None:
    """Bring back each STUDY, by its former name or its present path."""
    from honestly.store._files import restore_study

    _move_each(restore_study, studies, as_json=as_json)


@click.command()
@_folder
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
def empty(folder: Path, yes: bool, as_json: bool) -> None:
    """Delete the removed studies of FOLDER for good."""
    from honestly.store._files import empty_dropped, list_studies

    dropped = [each for each in list_studies(folder) if each.place == "dropped"]
    if dropped and not yes:
        show(_studies_table(dropped, folder))
        click.confirm(
            f"Delete {plural_text(len(dropped), 'dropped study', 'dropped studies')} for good?", abort=True, err=True
        )
    gone = empty_dropped(folder)
    if as_json:
        print_json({"deleted": [_study_entry(each) for each in gone]})
    else:
        say_on_stderr(f"{plural_text(len(gone), 'study', 'studies')} deleted")


def _move_each(move: Callable[[Path], MovedStudy], studies: Iterable[Path], *, as_json: bool) -> None:
    _print_moves([move(each) for each in studies], as_json=as_json)


def _print_moves(moved: list[MovedStudy], *, as_json: bool) -> None:
    if as_json:
        print_json({"moved": [{"was": str(each.was), "now": str(each.now)} for each in moved]})
    else:
        for each in moved:
            say_on_stderr(f"{one_line_name(str(each.was))} is now {one_line_name(str(each.now))}")


def _short(path: Path, folder: Path) -> str:
    from honestly.store._address import StudyAddress

    return path.study if isinstance(path, StudyAddress) else str(path.relative_to(folder))


def _study_entry(found: StudyFile) -> dict[str, object]:
    return found._asdict() | {"path": str(found.path), "changed": found.changed.isoformat(timespec="seconds")}


def _studies_table(found: list[StudyFile], folder: Path) -> object:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("study", "trials", "MB", "changed", ""):
        table.add_column(name, justify="right" if name in {"trials", "MB"} else "left", overflow="fold")
    for each in found:
        trials = "?" if each.trials is None else f"{each.trials:,}"
        changed = each.changed.strftime("%Y-%m-%d %H:%M")
        place = "" if each.place == "here" else each.place
        table.add_row(Text(one_line_name(_short(each.path, folder))), trials, f"{each.size / 1e6:,.1f}", changed, place)
    return table
