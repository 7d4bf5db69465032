"""`honestly task grow`: a suite that grows by what agents can just solve, and training data from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from honestly._settings import tell_nobody
from honestly.command import json_option, print_json, progress_bar, say_on_stderr, tried_options
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.runner import Plan, Progress
    from honestly.store import Store
    from honestly.studies import RunSettings
    from honestly.taskgen import GrowTerms, MakingTerms
    from honestly.taskgen._grow import Growth


@click.command()
@click.argument("source")
@tried_options
@click.option(
    "--out",
    "-o",
    "into",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder of the suite.",
)
@click.option("--how", default="from-mutants", show_default=True, help="How to make tasks from a repository.",
              type=click.Choice(["from-mutants", "from-tests", "from-commit"]))  # fmt: skip
@click.option(
    "--rev", default="HEAD", show_default=True, help="For a repository: the commit to start from; its tests must pass."
)
@click.option("--rounds", type=click.IntRange(1, 100), default=2, show_default=True, help="How many rounds to grow.")
@click.option("--count", type=click.IntRange(1), default=10, show_default=True, help="How many tasks to try per round.")
@click.option("--held-out", type=click.FloatRange(0, 0.9), default=0.2, show_default=True,
              help="The share of sources held out: the suite never grows from them.")  # fmt: skip
@click.option(
    "--band",
    default="0.05,0.95",
    show_default=True,
    metavar="LOW,HIGH",
    help="Keep tasks with pass rates in this range.",
)
@click.option(
    "--proposer",
    default="",
    metavar="AGENT",
    help="The agent that plants faults in kept tasks.  [default: honestly itself]",
)
@click.option("--to", "training", default="adp", show_default=True, help="The format of the training data.")
@json_option
def grow(source: str, settings: RunSettings, into: Path, as_json: bool, **given: Any) -> int:  # noqa: ANN401 - see GrowTerms
    """Grow a suite from SOURCE, a repository or a suite: keep the tasks that agents solve only sometimes.

    The first round makes proposals from SOURCE, later rounds from what the previous one kept. A task is kept if some
    trials pass and some fail. Honest passes become training data. A share of the sources is held out for good. Run the
    same command again to resume. Exit code 1: nothing was kept.
    """
    said = given.pop("band")
    low, _, high = said.partition(",")
    try:
        band = (float(low), float(high))
    except ValueError:
        raise click.BadParameter(f"{said!r} is not LOW,HIGH, as 0.05,0.95", param_hint="--band") from None
    assert isinstance(settings.agents, tuple)
    if settings.samples * len(settings.agents) < 2:
        raise click.UsageError("one trial of a task passes or not, and nothing between: give --samples, as -k 4")
    made = _grow(source, settings, into, band, as_json=as_json, **given)
    kept = sum(len(each.tasks_of_fate("kept")) for each in made.rounds)
    if as_json:
        print_json({"source": source, "into": str(into), "kept": kept, "rounds": made.rounds,
                    "training": made.training})  # fmt: skip
    else:
        _show_grown(made, into, kept)
    return 0 if kept else 1


def _grow(
    source: str, tried: RunSettings, into: Path, band: tuple[float, float], *, how: str, rev: str, proposer: str,
    as_json: bool, **given: Any,  # noqa: ANN401 - what GrowTerms has
) -> Growth:  # fmt: skip
    from functools import partial

    from honestly.studies import actors_of
    from honestly.taskgen import GrowTerms, MakingTerms

    terms = GrowTerms(
        actors=partial(actors_of, tried), carry_out=partial(carry_out, tried, quiet=as_json), samples=tried.samples,
        proposer=partial(actors_of, replace(tried, agents=(proposer,))) if proposer else None, seed=tried.seed,
        band=band, **given,
    )  # fmt: skip
    making = MakingTerms(runs=3, unsafe=tried.unsafe, tell=tell_nobody if as_json else say_on_stderr)
    path = Path(source)
    if path.is_file() or (path / ".git").exists() or ((path / "objects").is_dir() and (path / "HEAD").is_file()):
        return _of_repository(path, how, rev, into, terms, making, quiet=as_json)
    return _of_suite(source, into, terms, making, quiet=as_json)


def _of_repository(
    path: Path, how: str, rev: str, into: Path, terms: GrowTerms, making: MakingTerms, *, quiet: bool
) -> Growth:
    from functools import partial

    import anyio

    from honestly.sandbox import open_sandbox
    from honestly.taskgen import Functions, grow_suite, open_repository
    from honestly.taskgen._cli._from import tell_mined
    from honestly.taskgen._sources import Commits
    from honestly.taskgen._tested import tested_commit

    box = partial(open_sandbox, unsafe=making.unsafe)

    async def go() -> Growth:
        if how == "from-commit":
            origin: Commits | Functions = Commits.of(repository, rev)
        else:
            found = await tested_commit(repository, repository.commits_from(rev, 1)[0], box, making)
            origin = await Functions.of(found, box, steps=how == "from-tests")
        return await grow_suite(origin, into, terms, box, making, tell_nobody if quiet else tell_mined)

    with open_repository(path) as repository:
        return anyio.run(go)


def _of_suite(source: str, into: Path, terms: GrowTerms, making: MakingTerms, *, quiet: bool) -> Growth:
    from functools import partial

    import anyio

    from honestly.sandbox import open_sandbox
    from honestly.taskgen import Clusters, grow_suite
    from honestly.taskgen._cli._from import tell_mined
    from honestly.tasks import load_suite, runnable_tasks

    origin = Clusters.of(runnable_tasks(load_suite(source))[0])
    box = partial(open_sandbox, unsafe=making.unsafe)
    return anyio.run(partial(grow_suite, origin, into, terms, box, making, tell_nobody if quiet else tell_mined))


async def carry_out(tried: RunSettings, plan: Plan, study: Store, path: Path, *, quiet: bool) -> None:
    """Runs a plan in a study, as the options of trying say."""
    from honestly.runner import run_plan
    from honestly.store import unfinished_folder
    from honestly.studies import Execution, executor_of

    how = Execution(jobs=tried.jobs, unsafe=tried.unsafe, unfinished=unfinished_folder(path))
    with progress_bar(f"{plan.suite.name}, {plural_text(len(plan.suite.tasks), 'task')}", quiet=quiet) as line:

        def show(now: Progress) -> None:
            line(now.done, now.total, f"{now.latest.agent}: {now.latest.outcome}" if now.latest else "")

        await run_plan(plan, study, executor_of(how), show)


def _show_grown(made: Growth, into: Path, kept: int) -> None:
    from honestly.taskgen._grow import FATES

    for each in made.rounds:
        counts = ", ".join(f"{len(each.tasks_of_fate(fate))} {fate}" for fate in FATES)
        say_on_stderr(f"round {each.round}: {each.proposed} proposed, {each.refused} refused; {counts}")
        for task in each.tasks_of_fate("kept"):
            found = task.lineage
            parent = f", of {found.parent}" if found.parent else ""
            say_on_stderr(
                f"  kept {task.task}: {found.passed} of {found.trials} pass [{found.low:.2f}, {found.high:.2f}]{parent}"
            )
    data = made.training
    left = f"left out, because an audit flagged them: {data.flagged}"
    say_on_stderr(f"wrote {plural_text(data.written, 'honest pass', 'honest passes')} to {into / 'training'}; {left}")
    say_on_stderr(f"wrote {plural_text(kept, 'task')} to {into / 'tasks'}. Next: honestly task check {into / 'tasks'}")
