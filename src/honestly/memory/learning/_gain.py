"""The worth of memory: each agent with memory against the same one without, on families that taught it nothing.

The comparison is the house's (`honestly compare`): question by question, with families as clusters. Its error says what
other families would give with the library that was learnt; another order of lessons would have made another library,
and how much libraries differ is not in it. What is gained on tasks that taught it stands beside, and is no gain: there
an agent may remember.
"""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from honestly.comparisons import PairReport, comparison
from honestly.errors import StatisticsError
from honestly.memory._library import TrialLesson
from honestly.memory.learning._executor import learnt_lessons
from honestly.memory.learning._plan import MemoryDesign, design_in
from honestly.records import Agent, Record, Usage
from honestly.scores import DEFAULT_POLICY, Declared, OnlyTasks
from honestly.stats import holm_adjusted
from honestly.store import Store


class MemoryGain(Record, frozen=True, kw_only=True):
    """One agent with memory against the same without; shares are fractions of 1."""

    agent: str
    base: str
    tasks: int
    """Tasks of families that taught nothing."""
    families: int
    without: float | None
    with_memory: float | None
    gain: float | None
    """With memory less without, on families that taught nothing."""
    interval: tuple[float, float] | None
    p_value: float | None
    p_holm: float | None
    """With Holm's correction for all memories of the study."""
    method: str
    on_lessons: float | None
    """The same difference on the tasks that taught: no gain, since they may be remembered."""
    lessons: int
    taken_for_success: int
    wrongly: int
    """Of these, trials that the hidden checks did not pass: what the judge cost."""
    entries: int
    """Workflows, or skills that agents are told of, at the end."""
    version: int
    refused: dict[str, int]
    """What was refused, by the beginning of the reason."""
    usage: Usage
    """What learning consumed beside the trials."""
    note: str = ""
    """Why a number is missing."""


def base_of(agent: Agent, agents: Iterable[Agent]) -> Agent | None:
    """The same agent without memory, if the study has it; None of an agent that has none itself."""
    if "memory" not in agent.settings:
        return None
    name = agent.name.rpartition("~")[0]
    return next((each for each in agents if each.name == name), None)


def memory_gains(study: Store, alpha: float = 0.05) -> list[MemoryGain]:
    """The worth of each memory of a study.

    Raises:
        StoreError: the study has no agents with memory.
        UnfairComparisonError: two agents differ in more than memory.
    """
    design, agents = design_in(study), study.agents()
    pairs = [(agent, base) for agent in agents if (base := base_of(agent, agents))]
    found = [_memory_gain(study, design, agent.name, base.name, alpha) for agent, base in pairs]
    known = [each.p_value for each in found if each.p_value is not None]
    corrected = iter(holm_adjusted(known)) if known else iter(())
    return [replace(each, p_holm=float(next(corrected)) if each.p_value is not None else None) for each in found]


def _memory_gain(study: Store, design: MemoryDesign, agent: str, base: str, alpha: float) -> MemoryGain:
    new = frozenset(task for task in design.families if not design.teaches(task))
    taught = frozenset(design.families) - new
    pair, note = _compared_agents(study, design, new, (agent, base), alpha)
    old, _ = _compared_agents(study, design, taught, (agent, base), alpha)
    learnt = learnt_lessons(study, agent)
    return MemoryGain(
        agent=agent,
        base=base,
        tasks=pair.n if pair else 0,
        families=len(design.held_out),
        without=pair.score_b if pair else None,
        with_memory=pair.score_a if pair else None,
        gain=pair.difference if pair else None,
        interval=(pair.interval[0], pair.interval[1]) if pair and pair.interval else None,
        p_value=pair.p_value if pair else None,
        p_holm=None,
        method=pair.method if pair else "",
        on_lessons=old.difference if old else None,
        **_lesson_summary(learnt),
        note=note,
    )


def _compared_agents(
    study: Store, design: MemoryDesign, tasks: frozenset[str], pair: tuple[str, str], alpha: float
) -> tuple[PairReport | None, str]:
    families = {task: design.families[task] for task in tasks}
    single = len(set(families.values())) == len(families)
    try:
        declared = Declared("none" if single else families)
        report = comparison(OnlyTasks(study, tasks), *pair, DEFAULT_POLICY, alpha, declared)
    except StatisticsError as error:
        return None, str(error)
    return report, "; ".join(dict.fromkeys(report.reasons.values()))


def _lesson_summary(learnt: list[TrialLesson]) -> dict[str, Any]:
    """A summary of an agent's lessons."""
    last = learnt[-1].library if learnt else None
    refused: dict[str, int] = {}
    for event in (event for each in learnt for event in each.events if event.what == "refused"):
        why = event.why.partition(":")[0][:80]
        refused[why] = refused.get(why, 0) + 1
    took = [each for each in learnt if each.judged]
    return {
        "lessons": len(learnt),
        "taken_for_success": len(took),
        "wrongly": sum(each.passed is False for each in took),
        "entries": len(last.workflows) + len(last.admitted_skills) if last else 0,
        "version": last.version if last else 0,
        "refused": refused,
        "usage": _total(each.usage for each in learnt),
    }


def _total(usages: Iterable[Usage]) -> Usage:
    """All of them together; None where nobody reported anything."""
    all_of = list(usages)
    sums = {}
    for name in Usage.__struct_fields__:
        known = [value for each in all_of if (value := getattr(each, name)) is not None]
        sums[name] = sum(known) if known else None
    return Usage(**sums)
