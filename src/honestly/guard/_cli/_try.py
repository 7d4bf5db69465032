"""`honestly setup try`: what a set-up and each of its parts do to agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import StudyPlace, json_option, print_answer, say_on_stderr, task_option, tried_options

if TYPE_CHECKING:
    from honestly.records import Suite
    from honestly.studies import RunSettings


@click.command("try")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--on", "source", required=True, metavar="SUITE|REPO", help="A suite, or a repository whose commits become tasks."
)
@tried_options
@task_option
@click.option(
    "--margin",
    type=click.FloatRange(0.1, 99),
    default=10.0,
    show_default=True,
    help="The smallest difference that matters, in points.",
)
@click.option("--out", "-o", type=StudyPlace(), help="The study to write.  [default: runs/SUITE-DATE.honestly]")
@click.option("--plan", "only_plan", is_flag=True, help="Say what effect such a study could detect, and exit.")
@json_option
def try_(
    folder: Path,
    source: str,
    settings: RunSettings,
    only: tuple[str, ...],
    margin: float,
    only_plan: bool,
    as_json: bool,
) -> int:
    """Try the agent set-up in DIR: with it, without it, without each part, and with a placebo of equal length.

    For each part, paired by task, you get the difference in success with its interval, ratios of cost and turns, and
    conduct. Run the same command again with the same --out to resume. See docs/setup.md.

    Exit code 1: some trials are void.
    """
    from dataclasses import replace

    import anyio

    from honestly.command import exit_code, run_study
    from honestly.guard import setup_effects, setup_files, setup_overlays, setup_plan
    from honestly.scratch import scratch_folder
    from honestly.studies import prepare_run

    overlays = setup_overlays(setup_files(folder))
    with scratch_folder("setup") as scratch:
        for name, files in overlays.items():
            for path, text in files.items():
                (scratch / name / path).parent.mkdir(parents=True, exist_ok=True)
                (scratch / name / path).write_text(text, "utf-8")
        laid = ("none", *(f"{name}={scratch / name}" for name in overlays))
        said = replace(settings, suite=_suite_of(source, settings.out), tasks=only, overlays=laid, tell=say_on_stderr)
        run = anyio.run(prepare_run, said)
    plan = setup_plan(len(run.plan.suite.tasks), settings.samples, len(overlays))
    if only_plan:
        print_answer(plan, as_json=as_json)
        return 0
    if not as_json:
        from rich.console import Console

        Console(emoji=False, markup=False, stderr=True).print(plan)
    run.settle_stale()
    with run.opened() as study:
        state = run_study(run.plan, study, run.begin(study)[2], None, run.redo, run.oversight(), quiet=as_json)
        print_answer(setup_effects(study, str(run.out), plan, margin / 100), as_json=as_json)
    return exit_code(state)


def _suite_of(given: str, out: str | Path | None) -> Suite:
    """The tasks, without set-up files of their own; of a repository, those of its newest commits.

    Raises:
        TaskError: There are none.
    """
    from msgspec.structs import replace

    from honestly.errors import TaskError
    from honestly.guard import is_setup_file
    from honestly.tasks import load_suite

    if (Path(given) / ".git").exists():
        from honestly.taskgen._cli._from import from_repo

        into = Path(f"{out or Path(given).resolve().name}.tasks")
        if from_repo.main([given, "-o", str(into), "--limit", "30"], standalone_mode=False):
            raise TaskError(f"no commit of {given} became a task; see honestly task from repo")
        given = str(into)
    suite = load_suite(given)
    tasks = [
        replace(task, workspace=task.workspace.without(names)) if names else task
        for task in suite.tasks
        for names in [[name for name in task.workspace.files if is_setup_file(name)]]
    ]
    return replace(suite, tasks=tuple(tasks))
