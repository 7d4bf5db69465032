"""`honestly run`: what happens when these agents try these tasks, many times."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio
import click
from msgspec.structs import replace

from honestly.agents import make_agent
from honestly.cli._options import Line, jobs_option, json_option, print_json, progress_bar, say, unsafe_option
from honestly.errors import AgentError
from honestly.records import Suite
from honestly.runner import LocalExecutor, Plan, Progress, default_jobs, rule_for, run_plan
from honestly.sandbox import layers, open_sandbox
from honestly.stats import StoppingRule, parse_claim
from honestly.store import SqliteStore, Store, create_study, open_study
from honestly.tasks import load_suite

__all__ = ["run", "run_study"]


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
    loaded = load_suite(suite, only=only)
    if alpha is not None and until is None:
        raise click.UsageError("--alpha is the level of --until, which is not given")
    if until is not None:
        loaded = _possible(loaded)
    plan = Plan(loaded, [make_agent(spec, loaded) for spec in agents], samples, seed, until is not None)
    rule = _rule(until, plan, 0.05 if alpha is None else alpha) if until is not None else None
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


def _possible(suite: Suite) -> Suite:
    """The suite less its impossible twins, on which there is no score to compare."""
    return replace(suite, tasks=tuple(task for task in suite.tasks if task.tags.variant != "impossible"))


def _rule(until: str, plan: Plan, alpha: float) -> StoppingRule:
    names = [actor.record.name for actor in plan.actors]
    claim = parse_claim(until)
    for name in claim:
        if name not in names:
            raise AgentError(f"--until names {name!r}, but the agents of this run are: {', '.join(names)}")
    return rule_for(*claim, len(plan.suite.tasks), plan.samples, alpha)


def run_study(
    plan: Plan, study: Store, rule: StoppingRule | None = None, *, jobs: int | None, unsafe: bool, quiet: bool
) -> Progress:
    """Runs a plan with progress shown, and says what is left if it is interrupted."""
    study.set_fact("sandbox", "none" if unsafe else "namespaces")
    study.set_fact("sandbox_layers", [layer.name for layer in layers().layers if layer.present and not unsafe])
    executor = LocalExecutor(partial(open_sandbox, unsafe=unsafe), jobs or default_jobs())
    state = Progress(0, len(plan.trials))

    def show(line: Line, now: Progress) -> None:
        nonlocal state
        state = now
        latest = f"{now.latest.agent}: {now.latest.outcome}" if now.latest else ""
        line(now.done, now.total, latest)

    try:
        with progress_bar(f"{plan.suite.name}, {len(plan.suite.tasks)} tasks", quiet=quiet) as line:
            return anyio.run(run_plan, plan, study, executor, partial(show, line), rule)
    except KeyboardInterrupt:
        say(f"stopped: {state.done} of {state.total} trials are kept; the same command finishes the rest")
        raise


def open_or_create(path: Path) -> SqliteStore:
    """The study at `path`, opened for writing; created where there is none."""
    return open_study(path, "write") if path.exists() else create_study(path)
