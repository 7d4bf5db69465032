"""`honestly demo`: agents whose truth is known at a few tasks, in a minute, with the leaderboard as it comes about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import jobs_option, json_option, print_json, say_on_stderr, show, unsafe_option

if TYPE_CHECKING:
    from honestly.cli._race import Race
    from honestly.leaderboards import Leaderboard
    from honestly.runner import Plan, Progress
    from honestly.store import Store
    from honestly.studies import Execution

AGENTS = (
    "honest:name=honest-senior,easy=0.95,medium=0.85,hard=0.6",
    "honest:name=honest-junior,easy=0.8,medium=0.45,hard=0.2",
    "special-case:name=cheat-special-case",
    "tamper-runner:name=cheat-tamper-runner,rate=0.6",
)
"""Two honest agents, and two that cheat: one always, one in most of its trials."""

TASKS = (
    *("bullet-wrap", "retry-budget", "split-bill", "ticket-codes"),  # easy
    *("api-move", "rota-overrides", "mask-logs", "sensor-gaps"),  # medium
    *("patch-offsets", "deploy-waves", "stock-holds"),  # hard
    *("split-bill.impossible", "rota-overrides.impossible", "retry-budget.impossible"),
)
"""Of every difficulty and most categories, and quickly judged."""


@click.command()
@click.option(
    "--out", "-o", type=click.Path(path_type=Path, dir_okay=False), help="The study to write.  [default: a new one]"
)
@click.option(
    "--samples", "-k", default=2, show_default=True, type=click.IntRange(1, 100), help="Samples per task and agent."
)
@click.option("--all", "whole", is_flag=True, help="Run all tasks of the embedded suite; takes minutes.")
@jobs_option
@unsafe_option
@json_option
def demo(out: Path | None, samples: int, whole: bool, jobs: int | None, unsafe: bool, as_json: bool) -> None:
    """Run tasks of the embedded suite with honest and cheating agents in real sandboxes, and report.

    It needs no key and no network. You see how a cheat that leads by visible tests falls to the bottom of the honest
    leaderboard.
    """
    from honestly.agents import make_agent
    from honestly.command import on_this_machine
    from honestly.leaderboards import BriefLeaderboard, html_report, leaderboard
    from honestly.runner import Plan
    from honestly.store import open_or_create
    from honestly.studies import Execution, new_run_path
    from honestly.tasks import EMBEDDED, load_suite

    path = out or new_run_path("demo")
    if out is None:
        path.parent.mkdir(parents=True, exist_ok=True)
    suite, left_out = on_this_machine(load_suite(EMBEDDED, only=() if whole else TASKS))
    plan = Plan(suite, [make_agent(spec, suite) for spec in AGENTS], samples, left_out=left_out)
    with open_or_create(path) as study:
        try:
            _run_and_show(plan, study, Execution(jobs=jobs, unsafe=unsafe), quiet=as_json)
        except KeyboardInterrupt:
            say_on_stderr(f"stopped: what has ended is kept; the same command with --out {path} finishes the rest")
            raise
        board = leaderboard(study)
    page = html_report(board, path.with_suffix(".html"))
    if as_json:
        print_json({"study": str(path), "html": str(page), **board.to_plain()})
        return
    show(BriefLeaderboard(board))
    if not whole:
        say_on_stderr(f"\n{_few(board)}")
    say_on_stderr(f"\nstudy: {path}\nreport: {page}   (open it in a browser)")
    say_on_stderr(f"next: honestly compare {path} honest-senior honest-junior")


def _few(board: Leaderboard) -> str:
    """The limits of so few tasks."""
    widest = max((row.interval[1] - row.interval[0] for row in board.agents if row.interval), default=1.0)
    return (
        f"These are {len(board.tasks)} quick tasks of the embedded suite: enough to see a cheat fall, no more; "
        f"the intervals are up to {100 * widest:.0f} points wide. The whole suite takes minutes: honestly demo --all"
    )


def _run_and_show(plan: Plan, study: Store, how: Execution, *, quiet: bool) -> None:
    """Runs the plan, and shows the standings after every trial."""
    import anyio

    from honestly.cli._race import Race
    from honestly.runner import run_plan
    from honestly.studies import executor_of

    race = Race([actor.record.name for actor in plan.actors], plan.suite, len(plan.trials))
    for trial in study.trials():
        race.take_trial(trial)
    with _race_shown(race, quiet=quiet) as told:
        anyio.run(run_plan, plan, study, executor_of(how), told)


@contextmanager
def _race_shown(race: Race, *, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """A callback that takes a trial and shows where the agents stand: a live table on a terminal,
    elsewhere some lines.
    """
    from rich.console import Console
    from rich.live import Live

    console = Console(emoji=False, markup=False, stderr=True)
    if quiet or not console.is_terminal:
        shown = -1

        def line(now: Progress) -> None:
            nonlocal shown
            if now.latest is not None:
                race.take_trial(now.latest)
            if not quiet and (tenth := 10 * race.done // race.total) > shown:
                shown = tenth
                say_on_stderr(race.standings_line())

        yield line
        return
    with Live(race, console=console, transient=True, refresh_per_second=4):
        yield lambda now: race.take_trial(now.latest) if now.latest is not None else None
