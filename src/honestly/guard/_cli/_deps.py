"""`honestly deps`: the packages that a project or a study pulls in."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from honestly.command import json_option, print_answer

_FILE = click.Path(path_type=Path, exists=True)
_BAD = {"missing", "lookalike", "vulnerable"}


@click.command()
@click.argument("place", metavar="STUDY|DIR")
@click.option("--advisories", type=_FILE, help="Advisories in OSV's format: a folder, a zip archive or a file.")
@click.option(
    "--names", multiple=True, metavar="ECOSYSTEM=FILE", help="A file of existing package names, one per line."
)
@click.option(
    "--index",
    type=_FILE,
    help="A file of package versions and what each requires, one JSON object per line; adds indirect dependencies.",
)
@click.option("--yanked", type=_FILE, help="A file of yanked versions, as NAME==VERSION, one per line.")
@json_option
def deps(
    place: str, advisories: Path | None, names: Sequence[str], index: Path | None, yanked: Path | None, as_json: bool
) -> int:
    """Show which packages a project in DIR, or the agents of a STUDY, pull in, and what is known against them.

    Asks no registry: what you do not provide is shown as unknown. See docs/deps.md. Exit code 1: a package is missing,
    looks like another one, or is vulnerable.
    """
    from dataclasses import replace

    from honestly.guard import found_packages, installed_in, judge_packages, named_files, read_advisories, read_index
    from honestly.guard._advisories import read_yanked
    from honestly.store import is_address, open_study, study_path

    cost = None
    if Path(place).is_dir() and not os.access(place, os.R_OK | os.X_OK):
        raise click.UsageError(
            f"found {place!r}, which you have no permission to read; change it with chmod, or name another folder"
        )
    if Path(place).is_dir():
        found, notes = found_packages(Path(place))
    elif not is_address(place) and not Path(place).exists():
        raise click.UsageError(f"there is no folder and no study {place}; name a project's folder, or a study")
    else:
        with open_study(study_path(place)) as study:
            found, cost, notes = installed_in(study)
    answer = judge_packages(
        found,
        advisories=None if advisories is None else read_advisories(advisories),
        names=named_files(names),
        yanked=None if yanked is None else read_yanked(yanked),
        index=None if index is None else read_index(index),
        notes=notes,
    )
    print_answer(replace(answer, registries=cost), as_json=as_json)
    return int(any(each.status in _BAD for each in answer.packages))
