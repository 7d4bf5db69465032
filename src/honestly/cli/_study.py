"""What running a study takes, apart from its command: kept from `_run.py` so that help loads none of it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio
from msgspec.structs import replace

from honestly.agents import Actor, AgentLimits, arm_named, conditioned, make_agents
from honestly.cli._options import Line, Tried, named, progress_bar, say
from honestly.errors import AgentError
from honestly.models import RetryModel, make_model
from honestly.records import Suite, Task
from honestly.runner import Plan, Progress, run_plan
from honestly.stats import StoppingRule
from honestly.store import Store
from honestly.studies import RunSettings, executor_of, fitting
from honestly.tasks import LeftOut
from honestly.verify import build_environments


def on_this_machine(suite: Suite) -> tuple[Suite, tuple[LeftOut, ...]]:
    """The suite less the tasks whose programs are missing here, each of which is named on standard error.

    Raises:
        TaskError: nothing is left.
    """
    kept, left_out = fitting(suite)
    _name_left_out(left_out)
    return kept, left_out


def _name_left_out(left_out: Sequence[LeftOut]) -> None:
    if left_out:
        say(f"left out, since they cannot be run here: {'; '.join(named(str(each)) for each in left_out)}")


def actors_of(tried: Tried, suite: Suite) -> list[Actor]:
    """The agents of a run, as they were typed, each under every arm; models are asked again where that may help."""
    limits = AgentLimits(usd=tried.budget_usd, tokens=tried.budget_tokens)
    if not tried.models and limits != AgentLimits():
        raise AgentError("a budget is for agents that work with a model; add --model, or leave the budget out")
    answering = [RetryModel(make_model(spec)) for spec in tried.models]
    actors = make_agents(tried.agents, suite, answering, limits)
    return conditioned(actors, [arm_named(arm) for arm in tried.arms], tried.checkpoint)


def possible(suite: Suite) -> Suite:
    """The suite less its impossible twins, on which there is no score to compare."""
    return replace(suite, tasks=tuple(task for task in suite.tasks if task.tags.variant != "impossible"))


def build(tasks: Sequence[Task], *, quiet: bool) -> None:
    """Builds the images that tasks bring along and that are not there yet, and says a line for each step."""
    anyio.run(build_environments, tasks, (lambda _: None) if quiet else say)


def run_study(plan: Plan, study: Store, how: RunSettings, rule: StoppingRule | None = None, *, quiet: bool) -> Progress:
    """Runs a plan with progress shown, and says what is left if it is interrupted."""
    state = Progress(0, len(plan.trials))

    def show(line: Line, now: Progress) -> None:
        nonlocal state
        state = now
        latest = f"{now.latest.agent}: {now.latest.outcome}" if now.latest else ""
        line(now.done, now.total, latest)

    try:
        with progress_bar(f"{plan.suite.name}, {len(plan.suite.tasks)} tasks", quiet=quiet) as line:
            return anyio.run(run_plan, plan, study, executor_of(how), partial(show, line), rule)
    except KeyboardInterrupt:
        say(f"stopped: {state.done} of {state.total} trials are kept; the same command finishes the rest")
        if how.unfinished is not None and how.unfinished.is_dir():
            say(f"what the trials in flight had done lies in {how.unfinished}")
        raise


def run_sets(path: Path, sets: Sequence[str], folder: Path, tried: Tried, *, quiet: bool) -> int:
    """Runs the sets of a registry with progress shown; returns how many trials were void."""
    from honestly.studies import StressRun, run_stress_sets  # late: every other run needs neither

    def carry_out(plan: Plan, study: Store, how: RunSettings) -> Progress:
        _name_left_out(plan.left_out)
        return run_study(plan, study, how, quiet=quiet)

    def ended(ran: StressRun) -> None:
        say(f"{ran.name}: {ran.state.done} of {ran.state.total} trials are in {ran.study}")

    runs = run_stress_sets(
        path,
        partial(actors_of, tried),
        folder,
        sets=sets,
        samples=tried.samples,
        seed=tried.seed,
        how=RunSettings(jobs=tried.jobs, unsafe=tried.unsafe),
        carry_out=carry_out,
        bar=partial(progress_bar, quiet=quiet),
        ended=ended,
    )
    return sum(ran.state.void for ran in runs)
