"""`honestly audit stress` and `disclose`: stress sets from registry to alarm, arms, levers, training pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    StudyPlace,
    figures_option,
    json_option,
    level_option,
    print_answer,
    print_json,
    progress_bar,
    say_on_stderr,
    stage_bars,
    studies_argument,
    task_option,
    tried_options,
    unsafe_option,
)
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.runner import Plan, Progress
    from honestly.store import Store
    from honestly.stress import StressRegistry
    from honestly.studies import RunSettings

_SETS = ("hacked-before", "impossible", "own")

registry_argument = click.argument("registry", type=click.Path(path_type=Path, dir_okay=False))


@click.command()
@registry_argument
@click.option(
    "--suite", "-s", "suites", multiple=True, default=("embedded",), show_default=True, help="The suite of tasks."
)
@click.option(
    "--own",
    default=20,
    show_default=True,
    type=click.IntRange(0, 100_000),
    help="How many tasks to sample from the suite.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the sample.")
@json_option
def init(registry: Path, suites: Sequence[str], own: int, seed: int, as_json: bool) -> None:
    """Write a new REGISTRY: impossible tasks, and a sample of the other tasks, of each suite."""
    from honestly.errors import TaskError
    from honestly.stress._sets import begin_registry

    if registry.exists():
        raise TaskError(f"{registry} already exists; honestly audit stress refill adds to it")
    _print_summary(_registry_summary(begin_registry(registry, suites, own, seed)), as_json=as_json)


@click.command()
@registry_argument
@click.argument("studies", nargs=-1, type=StudyPlace(exists=True))
@click.option("--suite", "-s", default="embedded", show_default=True, help="The suite of the studies' tasks.")
@click.option("--impossible", is_flag=True, help="Add the impossible tasks of the suite. Needs no study.")
@click.option("--prove/--no-prove", default=True, help="Run the reference of each task that nobody solved honestly.")
@unsafe_option
@json_option
def refill(
    registry: Path, studies: Sequence[Path], suite: str, impossible: bool, prove: bool, unsafe: bool, as_json: bool
) -> None:
    """Add to REGISTRY the tasks that agents of STUDIES certainly hacked and that can be solved honestly."""
    from honestly.stress._sets import refill_registry

    if not studies and not impossible:
        raise click.UsageError("name studies whose hacks to take in, or --impossible")
    with stage_bars() as tell:
        made, refused = refill_registry(
            registry, studies, suite, impossible=impossible, prove=prove, unsafe=unsafe, tell=tell
        )
    _print_summary(_registry_summary(made) | {"refused": refused}, as_json=as_json)


@click.command()
@registry_argument
@tried_options
@click.option("--set", "sets", multiple=True, type=click.Choice(_SETS), help="Only this set. Repeatable.")
@click.option(
    "--out",
    "-o",
    "folder",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder for the studies.",
)
@json_option
def run_(registry: Path, settings: RunSettings, sets: tuple[str, ...], folder: Path, as_json: bool) -> int:
    """Run agents on the sets of REGISTRY, each in its own study in the folder, and audit them.

    Every finished trial is stored at once; run the same command again to resume. Another checkpoint, arm or agent adds
    to the studies. A set that has changed starts a new study.
    """
    from honestly.command import INTERRUPTED, exit_code, run_study
    from honestly.stress import run_stress_sets
    from honestly.stress._sets import StressRun, studies_in
    from honestly.studies import Execution, actors_of, name_left_out

    def carry_out(plan: Plan, study: Store, how: Execution) -> Progress:
        name_left_out(plan.left_out, say_on_stderr)
        state = run_study(plan, study, how, quiet=as_json)
        if state.stopped == INTERRUPTED:
            raise KeyboardInterrupt  # and no other set begins
        return state

    def ended(ran: StressRun) -> None:
        say_on_stderr(f"{ran.name}: {ran.study} has {ran.state.done} of {plural_text(ran.state.total, 'trial')}")

    runs = run_stress_sets(
        registry,
        partial(actors_of, settings),
        folder,
        sets=sets,
        samples=settings.samples,
        seed=settings.seed,
        how=Execution(jobs=settings.jobs, unsafe=settings.unsafe, preflight=True),
        carry_out=carry_out,
        bar=partial(progress_bar, quiet=as_json),
        ended=ended,
    )
    if as_json:
        void = sum(ran.state.void for ran in runs)
        print_json({"studies": [str(path) for path in studies_in([folder])], "void": void})
    else:
        say_on_stderr(f"next: honestly audit stress report {folder}")
    return max((exit_code(ran.state) for ran in runs), default=0)


@click.command()
@studies_argument
@click.option(
    "--alpha", type=click.FloatRange(0.0001, 0.5), default=0.05, show_default=True,
    help="Level of each alarm. Intervals have coverage 1 - ALPHA.",
)  # fmt: skip
@click.option(
    "--tolerate",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="The rate up to which nothing counts as a rise.  [default: what earlier checkpoints show]",
)
@figures_option
@json_option
def report(studies: Sequence[Path], alpha: float, tolerate: float | None, figures: Path | None, as_json: bool) -> int:
    """Show the rates of STUDIES (or of a folder of them), what arms change, and whether a rate has risen.

    Exit code 1: an alarm was raised.
    """
    from honestly.stress import judged_in
    from honestly.stress._report import stress_report

    with stage_bars(quiet=as_json) as tell:
        found = stress_report(judged_in(studies, tell), 1 - alpha, alpha, tolerate)
    print_answer(found, as_json=as_json, figures=figures)
    return 1 if found.alarm_raised else 0


@click.command()
@studies_argument
@click.option("--against", type=StudyPlace(exists=True), help="The study to compare with, run without the lever.")
@level_option
@json_option
def levers(studies: Sequence[Path], against: Path | None, level: float, as_json: bool) -> None:
    """Show what each lever changes in STUDIES: arms, sealed verdicts, disclosure; also against a study without it."""
    from honestly.stress._report import LeverReport
    from honestly.stress._sets import lever_effects

    print_answer(LeverReport(tuple(lever_effects(studies, against, level))), as_json=as_json)


@click.command()
@click.argument("suite")
@task_option
@click.option(
    "--not-in",
    "measured",
    multiple=True,
    required=True,
    help="Leave out what you measure on: a registry, a suite or a study. Repeatable.",
)
@click.option(
    "--arm", default="pre-exposure", show_default=True, help="The arm whose text comes before the instruction."
)
@click.option(
    "--out", "-o", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The JSONL file to write."
)
@json_option
def pairs_(suite: str, only: Sequence[str], measured: Sequence[str], arm: str, out: Path, as_json: bool) -> None:
    """Write the tasks of SUITE for training, plain and after the arm's text; refuses tasks that you measure on."""
    from honestly.stress._sets import write_pairs

    count = write_pairs(suite, only, measured, arm, out)
    _print_summary({"out": str(out), "pairs": count}, as_json=as_json)


def _registry_summary(registry: StressRegistry) -> dict[str, object]:
    """A summary of a registry, for people and as JSON."""
    return {
        name: f"{plural_text(len(registry.set_tasks(name)), 'task')}, version {registry.version(name)}"
        for name in _SETS
    }


def _print_summary(said: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(said)
        return
    for name, value in said.items():
        for line in value if isinstance(value, list) else [value]:
            say_on_stderr(f"{name}: {line}")


@click.command()
@studies_argument
@click.option("--out", "-o", type=click.Path(path_type=Path, dir_okay=False), help="The page to write: .html or .md.")
@click.option(
    "--erratum", metavar="TEXT", help="A known fault of the studies; it is stored in them and shown on every page."
)
@level_option
@json_option
def disclose(studies: Sequence[Path], out: Path | None, erratum: str | None, level: float, as_json: bool) -> None:
    """Write a disclosure page: every rate of STUDIES with denominator, arm, interval, judge and unread share.

    If a rate lacks one of them, no page is written, and the error names what is missing.
    """
    from honestly.stress import disclosure_markdown, judged_in, make_disclosure, write_disclosure
    from honestly.stress._sets import add_erratum

    if erratum is not None:
        add_erratum(studies, erratum)
    with stage_bars(quiet=as_json) as tell:
        told = make_disclosure(judged_in(studies, tell), level)
    if out is not None:
        write_disclosure(told, out)
        say_on_stderr(f"wrote {out}: {plural_text(len(told.rates), 'rate')}, {len(told.unmeasured)} not measured")
    if as_json:
        print_json(told.to_plain())
    elif out is None:
        click.echo(disclosure_markdown(told), nl=False)
