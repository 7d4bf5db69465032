"""`honestly demo`: the whole main job on the embedded suite, with agents whose truth is known."""

from datetime import datetime
from pathlib import Path

import click

from honestly.cli._options import jobs_option, json_option, print_json, say, show, unsafe_option

AGENTS = (
    "honest:name=honest-senior,easy=0.95,medium=0.85,hard=0.6",
    "honest:name=honest-junior,easy=0.8,medium=0.45,hard=0.2",
    "special-case:name=cheat-special-case",
    "tamper-runner:name=cheat-tamper-runner,rate=0.6",
)
"""Two honest agents, and two that cheat: one always, one in most of its trials."""


@click.command()
@click.option(
    "--out", "-o", type=click.Path(path_type=Path, dir_okay=False), help="The study's file.  [default: a new one]"
)
@click.option("--samples", "-k", default=2, show_default=True, type=click.IntRange(1, 100), help="Trials per cell.")
@jobs_option
@unsafe_option
@json_option
def demo(out: Path | None, samples: int, jobs: int | None, unsafe: bool, as_json: bool) -> None:
    """Run the embedded suite with honest and cheating agents in real sandboxes, and report.

    It needs no key and no network, and shows what the program is for: the cheat that leads by visible tests falls to
    the bottom of the honest leaderboard.
    """
    from honestly.agents import make_agent
    from honestly.cli._study import on_this_machine, open_or_create, run_study
    from honestly.report import LeaderboardView, html_report, leaderboard
    from honestly.runner import Plan
    from honestly.studies import RunSettings
    from honestly.tasks import EMBEDDED, load_suite

    path = out or Path(f"honestly-demo-{datetime.now().astimezone():%Y%m%d-%H%M%S}.honestly")
    suite, left_out = on_this_machine(load_suite(EMBEDDED))
    plan = Plan(suite, [make_agent(spec, suite) for spec in AGENTS], samples, left_out=left_out)
    with open_or_create(path) as study:
        run_study(plan, study, RunSettings(jobs=jobs, unsafe=unsafe), quiet=as_json)
        board = leaderboard(study)
    page = html_report(board, path.with_suffix(".html"))
    if as_json:
        print_json({"study": str(path), "html": str(page), **board.to_plain()})
    else:
        show(LeaderboardView(board))
        say(f"\nstudy: {path}\nreport: {page}   (open it in a browser)")
        say(f"next: honestly compare {path} honest-senior honest-junior")
