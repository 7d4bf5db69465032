"""The forecast of a run, with nothing done: how many trials of each agent, what the study holds, what that would cost.

Costs are expected from the study's own trials (`_forecast.py`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from honestly.records import Outcome, Stale, Trial
from honestly.runner._forecast import Forecast, cost_forecast
from honestly.runner._plan import Plan
from honestly.runner._redo import Redo
from honestly.runner._run import demand_same, trials_to_do
from honestly.runner._spending import StudySpent, spent_on
from honestly.runner._stale import stale_results
from honestly.store import Store
from honestly.verify import images_to_build


@dataclass(frozen=True, slots=True)
class AgentForecast:
    """The forecast for one agent."""

    agent: str
    planned: int
    held: int
    """Trials of the plan that the study holds with a verdict."""
    void: int
    """Trials of the plan that are void."""
    to_run: int
    """Trials that would begin: missing ones, and those that are done again."""
    usd: Forecast
    tokens: Forecast
    seconds: Forecast
    """Of trials one after the other."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """The forecast of a run."""

    suite: str
    tasks: int
    samples: int
    seed: int
    to_run: int
    agents: tuple[AgentForecast, ...]
    usd: Forecast
    tokens: Forecast
    seconds: Forecast
    spent: StudySpent
    """What the study has spent so far."""
    stale: tuple[Stale, ...] = ()
    """Results that would not count: the run is refused, or sets them aside."""
    next: tuple[tuple[str, str, int], ...] = ()
    """The first that would begin: agent, task, sample."""
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tasks of the suite that no trial would be of, and what this machine lacks for them."""
    to_build: tuple[str, ...] = ()
    """Tasks whose images would be built first; one whose image cannot be is left out then."""


_MOST_NEXT = 5


def dry_run_of(plan: Plan, study: Store | None, redo: Redo) -> DryRun:
    """The forecast of a run; only reads the study.

    Raises:
        StoreError: the study was begun with another suite or seed, so that the run would be refused.
    """
    if study is not None:
        facts = study.facts()
        meant = replace(facts, suite=plan.suite.name, seed=plan.seed)
        demand_same(facts, meant, ("suite", "seed"), begun=bool(study.trial_ids()))
    stale = stale_results(plan, study) if study is not None else ()
    changed = {each.name for each in stale if each.kind == "agent"}
    held = {cell.id: cell for cell in study.cells()} if study is not None else {}
    usd, tokens, seconds = (defaultdict[tuple[str, str], list[float]](list) for _ in range(3))

    def passing() -> Iterator[Trial]:
        for trial in study.trials() if study is not None else ():
            if trial.agent not in changed and trial.outcome is not Outcome.VOID:  # a changed task costs what it did
                amounts = ((usd, trial.usage.usd), (tokens, trial.usage.tokens), (seconds, trial.seconds))
                for spent, amount in amounts:
                    if amount is not None:
                        spent[trial.agent, trial.task].append(amount)
            yield trial

    so_far = spent_on(passing())
    todo = list(trials_to_do(plan, held, redo))
    counts: Counter[tuple[str, str]] = Counter()
    for each in plan.trials:
        name = each.actor.record.name
        counts[name, "planned"] += 1
        if each.id in held:
            counts[name, "void" if held[each.id].outcome is Outcome.VOID else "held"] += 1
    cells = [(each.actor.record.name, each.task.id) for each in todo]

    def cost(more: Sequence[tuple[str, str]]) -> tuple[Forecast, Forecast, Forecast]:
        return cost_forecast(usd, more), cost_forecast(tokens, more), cost_forecast(seconds, more)

    def ahead(name: str) -> AgentForecast:
        mine = [cell for cell in cells if cell[0] == name]
        known = (counts[name, "planned"], counts[name, "held"], counts[name, "void"])
        return AgentForecast(name, *known, len(mine), *cost(mine))

    first = tuple((each.actor.record.name, each.task.id, each.sample) for each in todo[:_MOST_NEXT])
    left_out = {each.task: each.missing for each in plan.left_out}
    to_build = images_to_build(plan.suite.tasks)
    sizes = (len(plan.suite.tasks), plan.samples, plan.seed, len(todo))
    return DryRun(
        plan.suite.name, *sizes, tuple(map(ahead, plan.names)), *cost(cells), so_far, stale, first, left_out, to_build
    )
