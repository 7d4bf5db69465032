"""`honestly export`: trajectories of a study in other people's formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import json_option, print_json, progress_bar, say, study_argument

if TYPE_CHECKING:
    from honestly.formats import Exported, Exporter
    from honestly.store import Store


@click.command()
@study_argument
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--to", "kind", metavar="FORMAT", required=True, help="atif, adp, or MODULE:OBJECT of your own.")
@click.option("--agent", "-a", help="Only this agent.")
@click.option("--task", help="Only this task.")
@json_option
def export(study: Path, folder: Path, kind: str, agent: str | None, task: str | None, as_json: bool) -> None:
    """Write the trajectories of STUDY into the new directory FOLDER: ATIF v1.7, a file each, or ADP, a line each.

    ATIF comes back exactly (honestly import --from atif). ADP carries the real verdict, and no turn that was not there.
    What cannot be said in a format is left out, counted and named. See docs/export.md.
    """
    from honestly.errors import StoreError
    from honestly.formats import EXPORTERS
    from honestly.store import open_study

    if folder.exists() and any(folder.iterdir()):
        raise StoreError(f"{folder} is not empty; an export makes a new directory, so give another name")
    write: Exporter = EXPORTERS.make(kind)
    left: Counter[str] = Counter()
    done = 0
    with open_study(study) as opened, progress_bar("exporting", quiet=as_json) as line:
        total = len(opened.trial_ids())
        for reason in write(_trials(opened, agent, task), folder):
            done += not reason
            left[reason] += bool(reason)
            line(done, total, "")
    reasons = {reason: count for reason, count in left.items() if reason}
    if as_json:
        print_json({"folder": str(folder), "written": done, "left_out": reasons})
        return
    for reason, count in reasons.items():
        say(f"left out: {count} trials: {reason}")
    say(f"{done} trajectories are in {folder}")


def _trials(study: Store, agent: str | None, task: str | None) -> Iterator[Exported]:
    from honestly.formats import Exported

    agents = {record.name: record for record in study.agents()}
    task_of = lru_cache(8)(study.task)
    for trial in study.trials(agent, task):
        yield Exported(trial, agents[trial.agent], task_of(trial.task), study.trajectory(trial.id))
