"""`honestly run --dry-run`: what would run, what the study holds, what has changed, and what it would cost."""

from functools import partial

import click
from rich.table import Table

from honestly.command._options import one_line_name, print_json, show, without_controls
from honestly.command._progress import amount_words
from honestly.runner import DryRun, Forecast, trials_at_once
from honestly.show import AtWidth, plural_text
from honestly.studies import PreparedRun

_MOST_STALE = 20
_WIDE = 60
"""Columns of a terminal in which all of the table fits."""


def show_dry_run(run: PreparedRun, *, as_json: bool) -> None:
    """Prints what a run would do; nothing is written.

    Raises:
        StoreError: the study cannot be read.
    """
    found, out = run.dry_run(), run.out
    jobs = run.settings.jobs or trials_at_once((actor.record for actor in run.plan.actors), tasks=run.plan.suite.tasks)
    if as_json:
        said = {name: getattr(found, name) for name in found.__slots__}
        print_json({"study": str(out), "exists": out.exists(), "jobs": jobs, **said})
        return
    show(AtWidth(partial(_dry_run_table, found)))
    _print_totals(found, jobs)
    if found.stale:
        _print_plain("Stale, and not counted as held; add --redo stale to set them aside, or the run is refused:")
        for each in found.stale[:_MOST_STALE]:
            _print_plain(f"  {one_line_name(str(each))}")
    if found.next:
        _print_plain("These start first:")
        for agent, task, sample in found.next:
            _print_plain(f"  {one_line_name(agent)} at {one_line_name(task)}, sample {sample}")
    _print_plain("Nothing was run" + ("." if out.exists() else f", and there is no study {out} yet."))


def _dry_run_table(found: DryRun, width: int) -> Table:
    counted = f"{plural_text(found.tasks, 'task')}, {plural_text(found.samples, 'sample')}"
    table = Table(title=f"{one_line_name(found.suite)}: {counted}, seed {found.seed}")
    table.box = None
    table.add_column("agent", overflow="fold")
    names = ("planned", "held", "void", "to run", "usd", "tokens", "time")[: None if width >= _WIDE else 4]
    for name in names:  # what it would cost is below, too
        table.add_column(name, justify="right", no_wrap=True)
    for agent in found.agents:
        counts = (agent.planned, agent.held, agent.void, agent.to_run)
        each = ((agent.usd, "usd"), (agent.tokens, "tokens"), (agent.seconds, "time"))  # without ends: 80 columns
        costs = ["–" if estimate.total is None else amount_words(estimate.total, kind) for estimate, kind in each]
        cells = (*map(str, counts), *(costs if agent.to_run else ("", "", "")))
        table.add_row(one_line_name(agent.agent), *cells[: len(names)])
    return table


def _print_totals(found: DryRun, jobs: int) -> None:
    _print_plain(f"{plural_text(found.to_run, 'trial')} would run.")
    if found.left_out:
        plural = "" if len(found.left_out) == 1 else "s"
        _print_plain(f"{len(found.left_out)} task{plural} of the suite cannot run here, and would be left out.")
    if found.to_build:
        whose = "of 1 task are" if len(found.to_build) == 1 else f"of {len(found.to_build)} tasks are"
        _print_plain(f"The images {whose} built first; a task whose image cannot be built is left out.")
    if not found.to_run:
        return
    untried = any(agent.to_run and agent.seconds.total is None for agent in found.agents)
    for what, kind, each in (("Cost", "usd", found.usd), ("Tokens", "tokens", found.tokens)):
        _print_plain(f"{what}: {_estimate_words(each, kind)}{_estimate_caveat(each, untried=untried)}")
    wall = found.seconds
    total, low, high = (None if each is None else each / jobs for each in (wall.total, wall.low, wall.high))
    words = _estimate_words(Forecast(total, low, high, wall.unknown), "time")
    _print_plain(f"Time, {jobs} at a time: {words}{_estimate_caveat(wall, untried=untried)}")


def _estimate_words(each: Forecast, kind: str) -> str:
    if each.total is None:
        return "unknown"
    words = amount_words(each.total, kind)
    if each.low is not None and each.high is not None and each.high > each.low:
        words += f" ({amount_words(each.low, kind)} to {amount_words(each.high, kind)})"
    return words


def _estimate_caveat(each: Forecast, *, untried: bool) -> str:
    """The gaps behind a number; `untried`: whether there is an agent without any trial."""
    if each.total is None:
        return ": these agents have no trial yet; run one of each to know" if untried else ": their trials report none"
    return f", without {each.unknown} trials of agents that have not run yet" if each.unknown else ""


def _print_plain(text: str) -> None:
    click.echo(without_controls(text))
