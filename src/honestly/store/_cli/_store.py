"""`honestly study`: studies moved between files and databases, checked, made smaller, and what waits delivered."""

from pathlib import Path

import click

from honestly.command import StudyPlace, json_option, print_json, progress_bar, say_on_stderr, without_controls
from honestly.show import plural_text

_study = click.argument("study", type=StudyPlace())


@click.command()
@click.argument("source", type=StudyPlace())
@click.argument("target", type=StudyPlace())
@json_option
def copy(source: Path, target: Path, as_json: bool) -> None:
    """Copy the study SOURCE to TARGET; each is a file, or an address in a database.

    All rows are read back and compared before TARGET appears. A copy that is stopped leaves nothing.
    """
    from honestly.store._copy import copy_study

    with progress_bar("copying", quiet=as_json) as line:
        found = copy_study(source, target, lambda table, rows: line(rows, 0, table))
    if as_json:
        print_json({"study": str(target), "rows": found.rows, "content": found.hash})
        return
    say_on_stderr(
        f"wrote {plural_text(found.rows['trials'], 'trial')}, {plural_text(sum(found.rows.values()), 'row')} in all, "
        f"to {target}; content {found.hash}"
    )


@click.command()
@_study
@json_option
def check(study: Path, as_json: bool) -> int:
    """Check every row of STUDY by its checksum, and list damaged ones. Exit code 1: some are damaged."""
    from honestly.store._care import study_damages
    from honestly.store._copy import content_of

    found = []
    for each in study_damages(study):
        found.append(each)
        if not as_json:
            say_on_stderr(without_controls(str(each)))
    content = None if found else content_of(study)
    if as_json:
        whole = {} if content is None else {"rows": content.rows, "content": content.hash}
        print_json({"study": str(study), "damages": [each._asdict() for each in found], **whole})
    elif content is not None:
        say_on_stderr(f"intact: {plural_text(sum(content.rows.values()), 'row')} of {study}; content {content.hash}")
    else:
        say_on_stderr(f"{study} is damaged (found: {len(found)}); restore it from a copy. Nothing was changed")
    return int(bool(found))


@click.command()
@_study
@json_option
def compact(study: Path, as_json: bool) -> None:
    """Free the space that STUDY no longer needs; nothing else may write to it meanwhile."""
    from honestly.store._care import compact_study

    found = compact_study(study)
    if as_json:
        print_json({"study": str(study), **found._asdict()})
    else:
        say_on_stderr(f"{study} takes {found.after / 1e6:,.1f} MB; before, {found.before / 1e6:,.1f} MB")


@click.command()
@_study
@json_option
def deliver(study: Path, as_json: bool) -> None:
    """Send trials that wait on this machine to the database of STUDY, which was away when they ended."""
    from honestly.store._spool import deliver_waiting

    delivered = deliver_waiting(study)
    if as_json:
        print_json({"study": str(study), "delivered": delivered})
    else:
        say_on_stderr(f"{delivered} trials were delivered to {study}")
