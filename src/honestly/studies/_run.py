"""Running a study: in one call, or as the commands do it, with a plan of one's own."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from honestly.agents import Actor, AgentFunction, FunctionAgent, make_agents
from honestly.errors import TaskError
from honestly.models import Model, RetryModel, make_model
from honestly.records import Suite, Task
from honestly.runner import (
    USUAL_REDO,
    Executor,
    LocalExecutor,
    Oversight,
    Plan,
    Progress,
    RayExecutor,
    Redo,
    preflight,
    read_on,
    read_study_budget,
    run_plan,
    trials_at_once,
)
from honestly.sandbox import open_sandbox
from honestly.store import Store, open_or_create, study_path, unfinished_folder
from honestly.studies._study import Study, from_sync
from honestly.tasks import LeftOut, load_suite, prepare_suite, runnable
from honestly.verify import OpenBox

if TYPE_CHECKING:
    from honestly.stats import StoppingRule


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """How a plan is carried out."""

    jobs: int | None = None
    """Trials at a time; if nobody says, a little more than there are cores, or more where all agents ask models."""
    unsafe: bool = False
    """Without isolation: recorded in the study, and shown in its reports."""
    provider: str = ""
    """Who opens the sandboxes, as `run --sandbox` names it; this machine's namespaces, if nobody says."""
    on: str = ""
    """Where trials run, as `run --on` names it: this machine, if nobody says."""
    unfinished: Path | None = None
    """Folder for the steps of trials in flight."""
    preflight: bool = False
    """Whether to look first at what trials need: one question to each model."""
    budget: str = ""
    """What the whole study may spend, as `run --budget` takes it; no limit, if nobody says."""
    executor: Executor | None = None
    """What runs trials, in place of what all this says."""


def run(
    suite: str | Suite | Task | Sequence[Task],
    agents: str | Actor | AgentFunction | Sequence[str | Actor | AgentFunction],
    *,
    samples: int = 1,
    models: Sequence[str | Model] = (),
    out: str | Path = "",
    seed: int = 0,
    how: RunSettings = RunSettings(),
    progress: Callable[[Progress], None] = lambda _: None,
) -> Study:
    """Try tasks with agents, many times, in sandboxes; works in a notebook, whose event loop is already running.

    Every finished trial is stored at once. The same call with the same `out` finishes what is missing, and repeats
    nothing; more samples or another agent add to the study.

    Args:
        suite: a suite's name or folder, a suite, or tasks of your own (`make_task`).
        agents: what `--agent` takes, agent objects, or functions of a run and a sandbox.
        samples: trials of each agent at each task.
        models: who answers, for agents that work with a model: what `--model` takes, or model objects.
        out: the study's file; a new one in the current directory, if nobody says.
        seed: of the order and of every trial.
        how: how many trials at a time, and whether without isolation.
        progress: told after every trial.

    Raises:
        HonestlyError: an agent, a suite or a study cannot be used; the message says why.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    work = partial(
        run_async, suite, agents, samples=samples, models=models, out=out, seed=seed, how=how, progress=progress
    )
    return from_sync(work)


async def run_async(
    suite: str | Suite | Task | Sequence[Task],
    agents: str | Actor | AgentFunction | Sequence[str | Actor | AgentFunction],
    *,
    samples: int = 1,
    models: Sequence[str | Model] = (),
    out: str | Path = "",
    seed: int = 0,
    how: RunSettings = RunSettings(),
    progress: Callable[[Progress], None] = lambda _: None,
) -> Study:
    """Try tasks with agents in the running event loop; arguments and errors as in `run`."""
    loaded, left_out = fitting(_suite(suite))
    loaded = await prepare_suite(loaded, unsafe=how.unsafe)
    answering = [model if not isinstance(model, str) else RetryModel(make_model(model)) for model in models]
    plan = Plan(loaded, _actors(agents, loaded, answering), samples, seed, left_out=left_out)
    path = study_path(out) if out else Path(f"{loaded.name}-{datetime.now().astimezone():%Y%m%d-%H%M%S}.honestly")
    with open_or_create(path) as store:
        settled = replace(how, unfinished=how.unfinished or unfinished_folder(path))
        oversight = Oversight(read_study_budget(how.budget) if how.budget else None)
        await carry_out(plan, store, settled, progress, oversight=oversight)
    return Study(path)


async def carry_out(
    plan: Plan,
    store: Store,
    how: RunSettings,
    progress: Callable[[Progress], None] = lambda _: None,
    rule: "StoppingRule | None" = None,
    redo: Redo = USUAL_REDO,
    oversight: Oversight | None = None,
) -> Progress:
    """Runs what is missing of a plan where `how` says; arguments and errors as in `run_plan`."""
    options, over = read_on(how.on), oversight or Oversight()
    if options is None:
        over.before = over.before or (partial(preflight, open_box=_open_box(how)) if how.preflight else None)
        return await run_plan(plan, store, executor_of(how, plan.actors), progress, rule, redo, over)
    async with RayExecutor(_open_box(how), options, how.jobs, how.provider) as executor:
        over.before = over.before or (executor.preflight if how.preflight else None)
        return await run_plan(plan, store, executor, progress, rule, redo, over)


def executor_of(how: RunSettings, actors: Iterable[Actor] = ()) -> Executor:
    """What runs trials of these agents on this machine."""
    jobs = how.jobs or trials_at_once(actor.record for actor in actors)
    return how.executor or LocalExecutor(_open_box(how), jobs, how.unfinished, how.provider)


def _open_box(how: RunSettings) -> OpenBox:
    return partial(open_sandbox, unsafe=how.unsafe, provider=how.provider)


def fitting(suite: Suite) -> tuple[Suite, tuple[LeftOut, ...]]:
    """The suite less the tasks whose programs are missing on this machine, and these.

    Raises:
        TaskError: nothing is left.
    """
    kept, left_out = runnable(suite)
    if not kept.tasks:
        missing = f": {'; '.join(map(str, left_out))}" if left_out else ""
        raise TaskError(f"no task is left to run; install what is missing, or choose other tasks{missing}")
    return kept, left_out


def _suite(given: str | Suite | Task | Sequence[Task]) -> Suite:
    if isinstance(given, Suite):
        return given
    if isinstance(given, str):
        return load_suite(given)
    return Suite(name="tasks", version="", tasks=(given,) if isinstance(given, Task) else tuple(given))


def _actors(
    given: str | Actor | AgentFunction | Sequence[str | Actor | AgentFunction], suite: Suite, models: Sequence[Model]
) -> list[Actor]:
    """Agents of every kind, in the order in which they were named."""
    several = [given] if isinstance(given, str) or callable(given) else given
    specs = [each for each in several if isinstance(each, str)]
    made = iter(make_agents(specs, suite, models)) if specs else iter(())
    own: list[Actor] = [FunctionAgent.of(each) for each in several if not isinstance(each, str)]
    return [*made, *own]
