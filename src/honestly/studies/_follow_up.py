"""What the next change costs: follow-up tasks that one agent does on what each agent of a study left.

A follow-up `TASK.NAME` of another suite continues TASK: where it differs from TASK's solved state, these files are laid
over what an agent left of TASK. Only work that passed counts, and a comparison of two agents looks at the follow-ups of
tasks that both passed. The work of each agent has a study of its own, beside the first one, which keeps their names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from msgspec.structs import replace

from honestly.comparisons import NextChange, comparison_of_studies
from honestly.errors import HonestlyError, TaskError
from honestly.records import Edit, Suite, Task, Trial
from honestly.scores import UNDECLARED
from honestly.store import Store, open_study
from honestly.trials import diff_lines, final_change

if TYPE_CHECKING:
    from honestly.stats import Policy

KEPT = "next changes"
"""What a study keeps: by agent, the file of the study of follow-ups on its work."""
_DESPITE = ("task-hashes",)


def follow_up_suites(study: Store, follow_ups: Suite) -> dict[str, Suite]:
    """For each agent of a study, the follow-up tasks on what it left where it passed.

    Raises:
        TaskError: a follow-up continues no task of the study, or has no reference to start from.
    """
    tasks = {task.id: task for task in study.tasks()}
    after: dict[str, list[Task]] = {}
    for each in follow_ups.tasks:
        first = max((name for name in tasks if each.id.startswith(f"{name}.")), key=len, default="")
        if not first or tasks[first].hidden is None:
            raise TaskError(
                f"the follow-up {each.id!r} continues no task of the study that has a reference; name it TASK.NAME, "
                "with TASK one of the study"
            )
        after.setdefault(first, []).append(each)
    found: dict[str, Suite] = {}
    for agent in study.agents():
        made = []
        for trial in study.trials(agent=agent.name):
            change = final_change(study, trial) if trial.task in after and trial.verdict.honest else None
            if change is not None:
                made += [_continued(tasks[trial.task], each, change[1], trial) for each in after[trial.task]]
        if made:
            found[agent.name] = Suite(name=follow_ups.name, version=follow_ups.version, tasks=tuple(made))
    return found


def _continued(first: Task, each: Task, left: Edit, trial: Trial) -> Task:
    """A follow-up on what a trial of the first task left."""
    assert first.hidden is not None
    more = Edit.between(first.hidden.reference.apply(first.workspace), each.workspace)
    name = each.id if trial.sample == 0 else f"{each.id}.{trial.sample}"
    tags = replace(each.tags, cluster=each.tags.cluster or first.id)
    return replace(each, id=name, workspace=more.apply(left.apply(first.workspace)), tags=tags)


def run_follow_ups(
    place: Path, follow_ups: Suite, run: Callable[[Suite, Path], object], tell: Callable[[str], object]
) -> None:
    """Runs the follow-up tasks of each agent of a study, and keeps in it where they are.

    Args:
        place: the study.
        follow_ups: the suite.
        run: runs a suite with the follower, into a study.
        tell: told what is run.
    """
    with open_study(place) as study:
        suites, known = follow_up_suites(study, follow_ups), study.kept(KEPT, dict) or {}
    if not suites:
        tell("no follow-up was run: no agent passed a task that one continues")
    for agent, suite in suites.items():
        name = known.setdefault(agent, f"{place.stem}.then-{len(known) + 1}{place.suffix}")
        tell(f"{len(suite.tasks)} follow-up tasks on the work of {agent}: {name}")
        run(suite, place.with_name(name))
    with open_study(place, "write") as study:
        study.keep(KEPT, known)


def next_change(study: Store, names: tuple[str, str], how: tuple[Policy, float]) -> NextChange | None:
    """What the next change costs on the work of two agents; None where no follow-ups were run."""
    known: dict[str, str] = study.kept(KEPT, dict) or {}
    if not all(name in known for name in names):
        return None
    try:
        places = [study.path.with_name(known[name]) for name in names]
        with open_study(places[0]) as one, open_study(places[1]) as other:
            return _next_change((one, other), how)
    except HonestlyError as error:
        return NextChange("", 0, (None, None), reason=str(error))


def _next_change(studies: tuple[Store, Store], how: tuple[Policy, float]) -> NextChange:
    follower = next(agent.name for agent in studies[0].agents())
    found = comparison_of_studies(*studies, (follower, follower), how, UNDECLARED.also_despite(_DESPITE))
    common = {task.id for task in studies[0].tasks()} & {task.id for task in studies[1].tasks()}
    trials = [[trial for trial in study.trials() if trial.task in common] for study in studies]
    tokens = [_average([_tokens(trial) for trial in some]) for some in trials]
    lines = [_average([_lines(study, trial) for trial in some]) for study, some in zip(studies, trials, strict=True)]
    return NextChange(
        follower, found.n, (found.score_a, found.score_b), found.interval,
        (tokens[0], tokens[1]), (lines[0], lines[1]), "" if found.score_a is not None else found.sentence,
    )  # fmt: skip


def _average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _tokens(trial: Trial) -> int | None:
    known = [each for each in (trial.usage.input_tokens, trial.usage.output_tokens) if each is not None]
    return sum(known) if known else None


def _lines(study: Store, trial: Trial) -> int | None:
    if (change := final_change(study, trial)) is None:
        return None
    return sum(line[:1] in {"+", "-"} and line[:3] not in {"+++", "---"} for line in diff_lines(*change))
