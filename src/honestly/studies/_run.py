"""Running a study: in one call, or as the commands do it, with a plan of one's own."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from honestly._settings import verb
from honestly.agents import Actor, changed_agent_warnings
from honestly.records import Task
from honestly.runner import (
    USUAL_REDO,
    DryRun,
    Executor,
    LocalExecutor,
    Oversight,
    Plan,
    Progress,
    RayExecutor,
    Redo,
    preflight,
    read_on,
    run_plan,
    trials_at_once,
)
from honestly.store import Store
from honestly.studies._prepare import Execution, prepare_run
from honestly.studies._run_settings import RunSettings
from honestly.studies._study import Study, from_sync

if TYPE_CHECKING:
    from honestly.stats import StoppingRule


async def _run(settings: RunSettings) -> Study:
    prepared = await prepare_run(settings)
    prepared.settle_stale()
    with prepared.opened() as store:
        plan, rule, how = prepared.begin(store)
        for change in changed_agent_warnings((actor.record for actor in plan.actors), store.agents()):
            settings.tell(change)
        await carry_out(plan, store, how, settings.progress, rule, prepared.redo, prepared.oversight())
    return Study(prepared.out)


@verb(RunSettings)
def run(settings: RunSettings) -> Study:
    """Try tasks with agents, many times, in sandboxes; works in a notebook, whose event loop is already running.

    Every finished trial is stored at once. The same call with the same `out` finishes what is missing, and repeats
    nothing; more samples or another agent add to the study. Without `out` the study is a new file under `runs/` in
    the current directory.

    `suite` is a suite's name or folder, a suite, or tasks of your own (`make_task`); `agents` are what `--agent` takes,
    agent objects, or functions of a run and a sandbox; `models` what `--model` takes, or model objects. `progress` is
    told after every trial, `tell` gets a line for what else is to be known.

    Raises:
        HonestlyError: an agent, a suite, a study or a setting cannot be used; the message says why.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    return from_sync(partial(_run, settings))


@verb(RunSettings)
async def run_async(settings: RunSettings) -> Study:
    """Try tasks with agents in the running event loop; arguments and errors as in `run`."""
    return await _run(settings)


async def _dry_run(settings: RunSettings) -> DryRun:
    return (await prepare_run(settings, dry=True)).dry_run()


@verb(RunSettings)
def dry_run(settings: RunSettings) -> DryRun:
    """What `run` would do with the same settings, and what it would cost; runs and writes nothing.

    Raises:
        HonestlyError: an agent, a suite, a study or a setting cannot be used; the message says why.
    """
    return from_sync(partial(_dry_run, settings))


async def carry_out(
    plan: Plan,
    store: Store,
    how: Execution,
    progress: Callable[[Progress], None] = lambda _: None,
    rule: "StoppingRule | None" = None,
    redo: Redo = USUAL_REDO,
    oversight: Oversight | None = None,
) -> Progress:
    """Runs what is missing of a plan where `how` says; arguments and errors as in `run_plan`."""
    options, over = read_on(how.on), oversight or Oversight()
    if options is None:
        over.before = over.before or (partial(preflight, open_box=how.open_box) if how.preflight else None)
        return await run_plan(plan, store, executor_of(how, plan.actors, plan.suite.tasks), progress, rule, redo, over)
    async with RayExecutor(how.open_box, options, how.jobs, how.sandbox) as executor:
        over.before = over.before or (executor.preflight if how.preflight else None)
        return await run_plan(plan, store, executor, progress, rule, redo, over)


def executor_of(how: Execution, actors: Iterable[Actor] = (), tasks: Iterable[Task] = ()) -> Executor:
    """The executor of trials of these agents at these tasks, on this machine."""
    jobs = how.jobs or trials_at_once((actor.record for actor in actors), tasks=tasks)
    return how.executor or LocalExecutor(how.open_box, jobs, how.unfinished, how.sandbox)
