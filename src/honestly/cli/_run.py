"""`honestly run`: what happens when these agents try these tasks, many times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from honestly.cli._options import jobs_option, json_option, print_json, say, unsafe_option

__all__ = ["run"]


@click.command()
@click.argument("suite")
@click.option(
    "--agent", "-a", "agents", multiple=True, required=True, help="An agent; repeat for more. See docs/run.md."
)
@click.option("--samples", "-k", default=1, show_default=True, type=click.IntRange(1, 10_000), help="Trials per cell.")
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The study's file.")
@click.option("--task", "only", multiple=True, help="Only this task; repeat for more.")
@click.option("--seed", default=0, show_default=True, help="Seed of the order and of every trial.")
@click.option("--until", metavar='"A>B"', help="Stop as soon as it is known which of two agents is better.")
@click.option(
    "--alpha", type=click.FloatRange(0.0001, 0.5), help="Level of --until over the whole run.  [default: 0.05]"
)
@jobs_option
@unsafe_option
@json_option
def run(
    suite: str,
    agents: Sequence[str],
    samples: int,
    out: Path,
    only: Sequence[str],
    seed: int,
    until: str | None,
    alpha: float | None,
    jobs: int | None,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Try the tasks of SUITE ("embedded", or a folder of tasks) with agents.

    Every finished trial is stored at once. Stopping in any way and giving the same command again finishes what is
    missing and repeats nothing; a larger -k or another --agent adds to the study.
    """
    from honestly.agents import make_agent
    from honestly.cli._study import open_or_create, possible, rule_of, run_study
    from honestly.runner import Plan
    from honestly.tasks import load_suite

    if alpha is not None and until is None:
        raise click.UsageError("--alpha is the level of --until, which is not given")
    loaded = load_suite(suite, only=only)
    if until is not None:
        loaded = possible(loaded)
    plan = Plan(loaded, [make_agent(spec, loaded) for spec in agents], samples, seed, until is not None)
    rule = rule_of(until, plan, 0.05 if alpha is None else alpha) if until is not None else None
    with open_or_create(out) as study:
        state = run_study(plan, study, rule, jobs=jobs, unsafe=unsafe, quiet=as_json)
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
