"""`honestly task export`: tasks of ours in other people's layouts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from honestly.command import json_option, old_folder_argument, one_line_name, print_json, say_on_stderr, task_option
from honestly.show import plural_text


@click.command()
@click.argument("suite")
@old_folder_argument
@click.option("--out", "-o", "place", default="", metavar="FOLDER", help="The folder to write.")
@click.option("--to", "kind", type=click.Choice(["harbor", "swe-bench"]), required=True, help="The layout to write.")
@task_option
@json_option
def export(suite: str, folder: str, place: str, kind: str, only: Sequence[str], as_json: bool) -> int:
    """Write the tasks of SUITE to a new folder, in the layout of Harbor or as rows of SWE-bench.

    What the layout cannot express is left out, and named with the reason. Exit code 1: no task was written.
    """
    from honestly.command import place_to_write
    from honestly.errors import TaskError
    from honestly.taskgen import Records, harbor_task
    from honestly.taskgen._export import mark_exported, swe_bench_task
    from honestly.tasks import load_suite
    from honestly.work import new_folder

    loaded = load_suite(suite, only=only)
    records, left, written = Records(suite, loaded.name), dict[str, str](), list[str]()
    path = Path(place_to_write(place, folder))
    with new_folder(path) as part:
        for task in loaded.tasks:
            try:
                if kind == "harbor":
                    harbor_task(part / task.id, task, records)
                else:
                    swe_bench_task(part, task, _origin(Path(suite), task.id), records)
                written.append(task.id)
            except TaskError as error:
                left[task.id] = str(error)
        if written:
            mark_exported(part)
    if as_json:
        print_json({"suite": loaded.name, "folder": str(path), "written": written, "left_out": left})
    else:
        for name, why in sorted(left.items()):
            say_on_stderr(f"left out: {one_line_name(name)}: {one_line_name(why)}")
        say_on_stderr(
            f"wrote {len(written)} of {plural_text(len(loaded.tasks), 'task')} to {path}"
            if written
            else "nothing was written"
        )
    return 0 if written else 1


def _origin(suite: Path, task: str) -> Path:
    """The folder of a task: in its suite's, or the suite's own where that is the task."""
    return suite / task if (suite / task).is_dir() else suite
