"""`honestly run`: what happens when these agents try these tasks, many times; and `honestly demo`, with known ones."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import click

from honestly.cli._options import (
    Tried,
    jobs_option,
    json_option,
    print_json,
    say,
    show,
    tried_options,
    unsafe_option,
    visible_tests_option,
)


@click.command()
@click.argument("suite")
@tried_options
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The study's file.")
@click.option("--task", "only", multiple=True, help="Only this task; repeat for more.")
@click.option("--until", metavar='"A>B"', help="Stop as soon as it is known which of two agents is better.")
@click.option(
    "--alpha", type=click.FloatRange(0.0001, 0.5), help="Level of --until over the whole run.  [default: 0.05]"
)
@click.option(
    "--plan",
    "registered",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep to this pre-registration (honestly plan --register), and store it.",
)
@visible_tests_option
@click.option("--sandbox", "provider", default="", metavar="SPEC", help="Who opens sandboxes (docs/extending.md).")
@json_option
def run(
    suite: str,
    tried: Tried,
    out: Path,
    only: tuple[str, ...],
    until: str | None,
    alpha: float | None,
    registered: Path | None,
    visible_tests: bool,
    provider: str,
    as_json: bool,
) -> int:
    """Try the tasks of SUITE ("embedded", or a folder of tasks: docs/suites.md) with agents.

    Every finished trial is stored at once. Stopping in any way and giving the same command again finishes what is
    missing and repeats nothing; a larger -k or another --agent adds to the study.
    """
    from honestly.cli._study import actors_of, build, on_this_machine, possible, run_study
    from honestly.report import read_registration, register
    from honestly.runner import Plan, as_declared, rule_until, unfinished_folder
    from honestly.studies import RunSettings, open_or_create
    from honestly.tasks import clusters_of, load_suite

    if alpha is not None and until is None:
        raise click.UsageError("--alpha is the level of --until, which is not given")
    if until is not None and registered is not None:
        raise click.UsageError("--plan says itself whether the run may stop early; leave --until out")
    text, promised = read_registration(registered) if registered is not None else (None, None)
    early = until is not None or (promised is not None and promised.stops_early)
    loaded, left_out = on_this_machine(load_suite(suite, only=only, visible_tests=visible_tests))
    loaded = possible(loaded) if early else loaded
    plan = Plan(loaded, actors_of(tried, loaded), tried.samples, tried.seed, early, left_out=left_out)
    if until is not None:
        together, why = clusters_of({task.id: task.tags for task in loaded.tasks})
        plan = replace(plan, clusters=together)
    rule = rule_until(until, plan, 0.05 if alpha is None else alpha) if until is not None else None
    if promised is not None:
        promised.check_plan(plan)
        rule = promised.rule if early else None
    build(loaded.tasks, quiet=as_json)
    with open_or_create(out) as study:
        if text is not None:
            register(study, text)
        if until is not None and rule is not None:
            rule = as_declared(rule, study)
            plan = plan if rule.clusters else replace(plan, clusters=None)
            if rule.clusters and not as_json:
                say(f"{why}: --until takes each cluster as one bet")
        how = RunSettings(jobs=tried.jobs, unsafe=tried.unsafe, provider=provider, unfinished=unfinished_folder(out))
        state = run_study(plan, study, how, rule, quiet=as_json)
    if as_json:
        print_json(
            {
                "study": str(out),
                "done": state.done,
                "total": state.total,
                "void": state.void,
                "decision": state.decision,
            }
        )
    else:
        if state.decision is not None:
            say(f"{state.decision.verdict}: {state.decision.reason}")
        say(f"{state.done} of {state.total} trials are in {out}. Next: honestly report {out}")
    return 1 if state.void else 0


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
    from honestly.cli._study import on_this_machine, run_study
    from honestly.report import LeaderboardView, html_report, leaderboard
    from honestly.runner import Plan
    from honestly.studies import RunSettings, open_or_create
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
