"""`honestly run`: what happens when these agents try these tasks, many times."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    SETTINGS_FILE,
    Name,
    StudyPlace,
    TaskName,
    headed_option,
    json_option,
    print_json,
    say_on_stderr,
    settings_options,
    without_controls,
)
from honestly.studies import RunSettings

if TYPE_CHECKING:
    from honestly.store import Store


def _take_config(ctx: click.Context, _param: click.Parameter, path: Path | None) -> None:
    if path is not None:
        from honestly.studies import read_run_config

        ctx.default_map = read_run_config(path)  # what the command line says goes before
        ctx.meta[SETTINGS_FILE] = str(path)


@click.command("run")
@click.argument("suite")
@click.option(
    "--config",
    "-c",
    type=click.Path(path_type=Path, dir_okay=False),
    is_eager=True,
    expose_value=False,
    callback=_take_config,
    help="Read settings from this file (docs/run.md); paths in it are relative to the current folder. "
    "Options on the command line win.",
)
@settings_options(
    RunSettings,
    kinds={
        "agents": Name("agents:AGENTS"),
        "models": Name("models:MODELS"),
        "out": StudyPlace(),
        "tasks": TaskName(),
        "arms": Name("agents._arms:ARMS", "agents._arms:WEB_ARMS"),
        "memory": Name("memory.learning._spec:MEMORY_KINDS"),
        "on": Name("runner._on:PLACES"),
    },
)
@headed_option(
    "Output",
    "--save-config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the settings of this run to a file that --config reads.",
)
@headed_option(
    "The next change",
    "--then",
    metavar="SUITE",
    help="Afterwards run these follow-up tasks (TASK.NAME continues TASK) on the files of trials that passed; "
    "honestly compare shows what the next change costs.",
)
@headed_option(
    "The next change",
    "--then-agent",
    metavar="SPEC",
    help="With --then: who does the follow-up tasks.  [default: the first agent]",
)
@click.option("--dry-run", is_flag=True, help="Show what would run and what it would cost; run nothing.")
@json_option
def run_command(
    settings: RunSettings,
    save_config: Path | None,
    then: str | None,
    then_agent: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Run agents on the tasks of SUITE ("embedded", or a folder of tasks: docs/suites.md).

    Every finished trial is stored at once. To resume, run the same command again with the same --out: it runs missing
    and void trials only. A larger -k or another --agent adds to the study.

    Exit code 1: some trials are void. 5: an agent was stopped, or the --budget is used up. 6: another process still
    runs trials of the study.
    """
    from dataclasses import replace

    import anyio

    from honestly.command import exit_code, run_study, say_what_came, show_dry_run
    from honestly.errors import HonestlyError
    from honestly.memory._cli._run import say_gains
    from honestly.studies import prepare_run, read_run_config, run_config_text
    from honestly.work import write_file

    if save_config is not None:
        if save_config.is_file() and save_config.stat().st_size:
            read_run_config(save_config)  # what is no study file is not written over
        write_file(save_config, run_config_text(settings))
        say_on_stderr(f"wrote {save_config}")
    settings = replace(settings, tell=say_on_stderr)
    try:
        run = anyio.run(partial(prepare_run, settings, dry=dry_run))
    except HonestlyError as error:
        if file := click.get_current_context().meta.get(SETTINGS_FILE):
            error.add_note(f"(settings were also read from {file})")
        raise
    if dry_run:
        if settings.budget is not None and not as_json:
            say_on_stderr("--budget may stop the run before all of this has started; it is checked as the run goes")
        show_dry_run(run, as_json=as_json)
        return 0
    over = run.oversight()
    run.settle_stale()
    with run.opened() as study:
        plan, rule, how = run.begin(study)
        state = run_study(plan, study, how, rule, run.redo, over, quiet=as_json)
        if not as_json:
            if state.decision is not None:
                say_on_stderr(f"{state.decision.verdict}: {state.decision.reason}")
            say_what_came(plan, study, run.out, state, run.redo)
            if settings.memory:
                say_gains(study)
        undecided = _undecided_reasons(study, quiet=as_json)
    if then is not None:
        _run_follow_ups(then, then_agent, settings, Path(run.out))
    if as_json:
        names = ("done", "total", "void", "missing", "elsewhere", "redone", "stopped", "decision")
        print_json(
            {
                "study": str(run.out),
                **{name: getattr(state, name) for name in names},
                "undecided": undecided,
                "left_out": {each.task: each.missing for each in plan.left_out},
            }
        )
    return exit_code(state)


def _run_follow_ups(then: str, agent: str | None, settings: RunSettings, out: Path) -> None:
    """Runs a suite of follow-up tasks on what each agent of a study left."""
    from honestly.studies import run, run_follow_ups
    from honestly.tasks import load_suite

    agents, models = settings.agents, settings.models
    assert isinstance(agents, tuple)  # since a record of settings makes one of whatever is given
    assert isinstance(models, tuple)
    agents, models = (agent,) if agent else agents[:1], models[:1]
    only = ("jobs", "prices", "rate", "budget_usd", "budget_tokens", "guard", "seed", "sandbox", "on", "unsafe")
    how = {name: getattr(settings, name) for name in only}
    run_follow_ups(
        out,
        load_suite(then),
        lambda suite, place: run(suite, agents, models=models, out=place, tell=settings.tell, **how),
        say_on_stderr,
    )


def _undecided_reasons(study: Store, *, quiet: bool) -> dict[str, dict[str, int]]:
    """Of each agent, how many trials are undecided, by reason; said, too, unless it is to be quiet."""
    found: dict[str, Counter[str]] = {agent.name: Counter() for agent in study.agents()}
    for cell in study.cells():
        if cell.doubt:
            found[cell.agent][cell.doubt] += 1
    for agent, counts in found.items():
        if counts and not quiet:
            counted = "failed" if study.facts().strict else "passed, unless by chance (--strict: as failed)"
            said = ", ".join(f"{trials} by {why}" for why, trials in sorted(counts.items()))
            say_on_stderr(f"{without_controls(agent)}: undecided are {said}; they count as {counted}.")
    return {name: dict(sorted(counts.items())) for name, counts in found.items()}
