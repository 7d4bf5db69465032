"""`honestly task health`: which tasks of a study are worth running; `honestly task new`: a task to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import StudyPath, declared_options, json_option, policy_options, print_answer, say_on_stderr

if TYPE_CHECKING:
    from honestly.scores import Declared
    from honestly.stats import Policy


@click.command()
@click.argument("study", type=StudyPath())
@click.option(
    "--read",
    default=2000,
    show_default=True,
    type=click.IntRange(0),
    help="How many passing trials to read step by step.",
)
@declared_options
@policy_options
@json_option
def health(study: Path, read: int, declared: Declared, policy: Policy, as_json: bool) -> None:
    """Say which tasks of STUDY are worth running: hard enough, informative, not broken, not memorized.

    Each judgement has its uncertainty; with too few trials it is "cannot tell". `honestly stats plan --pilot STUDY
    --from-health` plans with the tasks that are left.
    """
    from honestly.store import open_study
    from honestly.taskgen import task_health

    with open_study(study) as opened:
        print_answer(task_health(opened, policy, declared, most=read), as_json=as_json)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--language", type=click.Choice(["python", "bash"]), default="python", show_default=True)
def new(folder: Path, language: str) -> None:
    """Write a working example task to FOLDER, with comments that explain everything; change it, then check it."""
    from honestly.taskgen import new_task

    for path in new_task(folder, language):
        say_on_stderr(f"wrote {path}")
    say_on_stderr(f"prove it: honestly task check {folder} && honestly task certify {folder}")
