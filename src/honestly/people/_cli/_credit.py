"""`honestly credit`: in which step a trial was lost, and what each step was worth."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    json_option,
    level_option,
    print_answer,
    progress_bar,
    say_on_stderr,
    study_argument,
    unsafe_option,
)
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.agents import Actor
    from honestly.people._credit import CreditReport
    from honestly.records import Agent, Task


@click.command()
@study_argument
@click.argument("trial")
@click.option(
    "--agent", "-a", help="The agent that continues from each state.  [default: the trial's agent, if it uses a model]"
)
@click.option("--model", "-m", help="The model that the agent asks.  [default: the trial's model]")
@click.option(
    "--budget", default=200, show_default=True, type=click.IntRange(min=1), help="The most continuations to run."
)
@click.option("--each", default=0, type=click.IntRange(min=0), help="The fewest continuations from each state.")
@click.option(
    "--recoverable", default=0.2, show_default=True, type=click.FloatRange(0.01, 0.99),
    help="A state counts as lost if fewer than this share of its continuations succeed.",
)  # fmt: skip
@level_option
@click.option(
    "--rewards",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the reward of each step, as JSON lines.",
)
@unsafe_option
@json_option
def credit(
    study: Path,
    trial: str,
    agent: str | None,
    model: str | None,
    budget: int,
    each: int,
    recoverable: float,
    level: float,
    rewards: Path | None,
    unsafe: bool,
    as_json: bool,
) -> None:
    """Find the step of TRIAL after which it could no longer succeed.

    The steps run again in a sandbox. From the states between them, an agent continues in new trials, which are judged
    like any other. New trials start where they tell most about the answer, until it is certain or the budget is used
    up. TRIAL is an ID, the start of one, or AGENT/TASK/SAMPLE. See docs/credit.md.
    """
    import anyio
    import msgspec

    from honestly.people._credit import FatalSearch
    from honestly.people._credit_states import credit_of_trial, final_of_artifact, trial_states
    from honestly.runner import read_original
    from honestly.sandbox import open_sandbox
    from honestly.store import open_study
    from honestly.trials import find_trial
    from honestly.work import write_file

    with open_study(study) as opened:
        original = read_original(opened, find_trial(opened, trial))
    actor = _continuing(original.agent, original.task, agent, model)
    open_box = partial(open_sandbox, unsafe=unsafe)

    async def computed_credit() -> CreditReport:
        final = final_of_artifact(original.artifacts.get("final.json"))
        states = await trial_states(original.task, original.trajectory, final, open_box)
        search = FatalSearch(len(states.states), level, recoverable)
        if not as_json:
            say_on_stderr(f"{plural_text(len(states.states), 'state')}")
        return await credit_of_trial(
            original.trial.id,
            original.task,
            states,
            actor,
            open_box,
            budget=budget,
            search=search,
            each=each,
            progress=lambda done, most: line(done, most, ""),
        )

    with progress_bar("going on", quiet=as_json) as line:
        found = anyio.run(computed_credit)
    if rewards is not None:
        rows = [{"trial": found.trial, "step": step.step, "reward": step.credit} for step in found.steps[1:]]
        write_file(rewards, b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    _keep_for_viewer(study, found)
    print_answer(found, as_json=as_json)


def _keep_for_viewer(study: Path, found: CreditReport) -> None:
    """Keeps the answer in the study, where the viewer shows it along the trajectory."""
    from honestly.errors import StoreError
    from honestly.store import open_study

    try:
        with open_study(study, "write") as opened:
            opened.keep(f"credit {found.trial}", {"sentence": found.sentence, **found.to_plain()})
    except StoreError as error:
        say_on_stderr(f"not kept for the viewer: {error}")


def _continuing(record: Agent, task: Task, agent: str | None, model: str | None) -> Actor:
    """Who goes on: the agent that is named, or the trial's own with its model."""
    from honestly.agents import make_agent, plain_record
    from honestly.models import RetryModel, make_model
    from honestly.records import Suite

    name = model or (None if agent else record.model) or None
    answering = RetryModel(make_model(name)) if name else None
    if agent is None and answering is None:
        raise click.UsageError(
            f"{plain_record(record).name} worked without a model; name an agent that continues: --agent"
        )
    return make_agent(agent or "honest", Suite(name="credit", version="1", tasks=(task,)), answering)
