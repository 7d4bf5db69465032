"""`honestly task certify`: a validity record for each task of a suite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    jobs_option,
    json_option,
    one_line_name,
    print_json,
    progress_bar,
    say_on_stderr,
    task_option,
    unsafe_option,
    visible_tests_option,
    without_controls,
)

if TYPE_CHECKING:
    from honestly.records import Task
    from honestly.taskgen._record import ValidityRecord
    from honestly.verify import OpenBox

_COLOURS = {"sound": "green", "weak": "yellow", "broken": "red", "not measured": "dim"}
_SHOWN = 4


@click.command()
@click.argument("suite", default="embedded")
@task_option
@click.option(
    "--runs",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="How often to run the reference and the empty solution.",
)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="The most mutants per task.")
@click.option("--all-mutants", is_flag=True, help="Try all mutants.")
@click.option("--out", "-o", type=click.Path(path_type=Path, file_okay=False), help="The folder for the records.")
@click.option("--by", default="", help="The name of the certifier.  [default: the user's name]")
@click.option("--again", is_flag=True, help="Certify again even if the task has a record.")
@visible_tests_option
@jobs_option
@unsafe_option
@json_option
def certify(
    suite: str,
    only: Sequence[str],
    runs: int,
    limit: int,
    all_mutants: bool,
    out: Path | None,
    by: str,
    again: bool,
    visible_tests: bool,
    jobs: int | None,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Measure how far you can trust the verdicts on each task of SUITE, and store a record with the task.

    Runs the reference and the empty solution several times, mutants and near misses, cheats and guesses, and other
    correct solutions; looks for answers within reach. Records are next to the tasks (validity.json), or in your cache
    if a task has no folder. Run the same command again to resume. Exit code 1: a task is broken.
    """
    from honestly.command import build_suite, on_this_machine
    from honestly.errors import TaskError
    from honestly.taskgen import How, Records, certify_task
    from honestly.taskgen._found import unmeasured_record
    from honestly.tasks import load_suite, missing_programs
    from honestly.tasks._cli._shown import for_each

    loaded = load_suite(suite, only=only, visible_tests=visible_tests)
    standard = [task for task in loaded.tasks if task.tags.variant == "standard"]
    records, how = Records(suite, loaded.name, out), How(runs=runs, limit=None if all_mutants else limit, by=by)
    found: dict[str, ValidityRecord] = {}
    for task in standard:
        record = None if again else records.read(task.id)
        if record is not None and record.hash == task.hash and _enough(record, how):
            found[task.id] = record
    hashes = {task.id: task.hash for task in standard}
    todo = [task for task in standard if task.id not in found]
    for task in todo:
        if missing := missing_programs(task):
            why = f"not measured here: it needs {', '.join(missing)}"
            found[task.id] = unmeasured_record(task, task.hash, loaded.name, why, how)
            records.write(found[task.id])
    ready = [task for task in todo if task.id not in found]
    able: list[Task] = []
    for task in ready:
        try:
            alone = type(loaded)(name=loaded.name, version=loaded.version, tasks=(task,))
            one = on_this_machine(alone, unsafe=unsafe)[0]
            able += build_suite(one, quiet=as_json)[0].tasks
        except TaskError as error:
            found[task.id] = unmeasured_record(task, task.hash, loaded.name, f"not measured here: {error}", how)
            records.write(found[task.id])

    async def certified_task(task: Task, open_box: OpenBox) -> ValidityRecord:
        return await certify_task(
            task, open_box, task_hash=hashes[task.id], suite=loaded.name, records=records, how=how
        )

    if found and not as_json:
        say_on_stderr(f"{len(found)} of {len(standard)} tasks have a record, or cannot be measured here")
    if able:
        with progress_bar("certifying", quiet=as_json) as line:
            found |= {each.task: each for each in for_each(able, line, certified_task, jobs, unsafe=unsafe)}
    rows = [found[task.id] for task in standard]
    if as_json:
        print_json({"suite": loaded.name, "hash": loaded.hash, "tasks": rows})
    else:
        _show_certified(rows, records.record_path(rows[0].task).parent if rows else None)
    return 1 if any(row.verdict == "broken" for row in rows) else 0


def _enough(record: ValidityRecord, how: object) -> bool:
    """Whether a record says at least as much as is asked for."""
    from honestly.taskgen import How

    assert isinstance(how, How)
    limit = record.checked.limit
    more = limit is None or (how.limit is not None and limit >= how.limit)
    return record.verdict != "not measured" and record.checked.runs >= how.runs and more


def _show_certified(rows: Sequence[ValidityRecord], place: Path | None) -> None:
    from collections import Counter

    from rich.console import Console
    from rich.markup import escape

    console = Console(emoji=False)
    for row in rows:
        flake = f"flake {row.flake.changed} of {row.flake.runs} (to {row.flake.high:.0%})" if row.flake else "not run"
        mutants, near = row.mutants, row.near_misses
        refused = f"{mutants.killed} of {mutants.tried} mutants, {near.killed} of {near.tried} near misses refused"
        colour = _COLOURS[row.verdict]
        console.print(f"[{colour}]{row.verdict:12}[/] {escape(one_line_name(row.task))}  [dim]{flake}; {refused}[/]",
                      soft_wrap=True)  # fmt: skip
        for reason in row.reasons[:_SHOWN]:
            console.print(f"             {escape(without_controls(reason))}", soft_wrap=True)
        if len(row.reasons) > _SHOWN:
            console.print(f"             and {len(row.reasons) - _SHOWN} more")
    counts = Counter(row.verdict for row in rows)
    said = ", ".join(f"{counted} {verdict}" for verdict, counted in sorted(counts.items()))
    from honestly.show import plural_text

    where = f" Records: {escape(str(place))}" if place is not None else ""
    console.print(f"{plural_text(len(rows), 'task')}: {said}.{where}")
