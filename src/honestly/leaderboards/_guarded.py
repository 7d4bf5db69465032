"""What guards decided in a study's trials, and what each cost in solved tasks and time: its agent with it and without.

Decisions are those of the artifact `guard.jsonl`. An agent's own twin is the one of the study with the same program,
version, model and settings but for the guard; without it there is no difference to tell.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from honestly.comparisons import comparison
from honestly.errors import StatisticsError, UnfairComparisonError
from honestly.records import Agent
from honestly.scores import DEFAULT_POLICY, UNDECLARED, Declared, Interval
from honestly.show import points_text
from honestly.stats import Policy, mean_of_questions, t_quantile
from honestly.store import Store

_RECORD = "guard.jsonl"


@dataclass(frozen=True, slots=True)
class GuardUse:
    """What came of one agent's guard."""

    agent: str
    trials: int
    recorded: int
    """Trials that have a record of decisions."""
    allowed: int
    asked: int
    denied: int
    unreadable: int
    """Lines of records that are no decisions."""
    without: str = ""
    """The same agent without the guard; empty where the study has none."""
    difference: float | None = None
    """With the guard minus without, in the share of tasks solved, paired by task."""
    interval: Interval | None = None
    time_ratio: float | None = None
    """Time in which the agent acted, with the guard by without: the geometric mean over tasks."""
    time_interval: tuple[float, float] | None = None
    """95%."""
    seconds: float | None = None
    """Mean of what a trial's decisions took, judges included; where the record says it."""
    reason: str = ""
    """Why there is no difference."""


def guard_use(
    study: Store, policy: Policy = DEFAULT_POLICY, alpha: float = 0.05, declared: Declared = UNDECLARED
) -> tuple[GuardUse, ...]:
    """A row for each guarded agent of a study.

    Raises:
        StoreError: the study cannot be read.
    """
    agents = study.agents()
    rows = []
    for agent in agents:
        if "guard" not in agent.settings:
            continue
        words: Counter[str] = Counter()
        spent: list[float] = []
        trials = recorded = 0
        for trial in study.trials(agent=agent.name):
            trials += 1
            if _RECORD in study.artifacts(trial.id):
                recorded += 1
                lines = study.artifact(trial.id, _RECORD).split(b"\n")
                words.update(map(_word, lines))
                took = [each for line in lines if (each := _seconds(line)) is not None]
                spent += [sum(took)] if took else []
        counted = trials, recorded, words["allow"], words["ask"], words["deny"], words["unreadable"]
        free = [each for each in agents if each.name != agent.name and "guard" not in each.settings]
        twin = next((each.name for each in free if _unguarded_agent(each) == _unguarded_agent(agent)), "")
        if not twin:
            rows.append(GuardUse(agent.name, *counted, reason="the study has no such agent without a guard"))
            continue
        try:
            found = comparison(study, agent.name, twin, policy, alpha, declared)
        except (StatisticsError, UnfairComparisonError) as error:
            rows.append(GuardUse(agent.name, *counted, twin, reason=str(error)))
        else:
            ratio, ends = _time_ratio(study, agent.name, twin)
            mean = float(np.mean(spent)) if spent else None
            rows.append(GuardUse(agent.name, *counted, twin, found.difference, found.interval, ratio, ends, mean))
    return tuple(rows)


def _word(line: bytes) -> str:
    try:
        found = json.loads(line)["decision"]
    except (ValueError, KeyError, TypeError):
        return "unreadable"
    return found if found in {"allow", "ask", "deny"} else "unreadable"


def _seconds(line: bytes) -> float | None:
    try:
        found = json.loads(line)["seconds"]
    except (ValueError, KeyError, TypeError):
        return None
    return float(found) if isinstance(found, int | float) else None


def _time_ratio(study: Store, agent: str, twin: str) -> tuple[float | None, tuple[float, float] | None]:
    """The ratio of the times in which two agents acted, paired by task, with its interval."""
    times: dict[str, dict[str, list[float]]] = {agent: defaultdict(list), twin: defaultdict(list)}
    for name, of in times.items():
        for trial in study.trials(agent=name):
            if trial.agent_seconds and trial.outcome != "void":
                of[trial.task].append(trial.agent_seconds)
    both = sorted(times[agent].keys() & times[twin].keys())
    if not both:
        return None, None
    found = mean_of_questions(np.log([np.mean(times[agent][task]) / np.mean(times[twin][task]) for task in both]))
    mean, half = float(found.mean), float(t_quantile(0.95, float(found.df)) * found.se) if len(both) > 1 else math.nan
    return math.exp(mean), None if math.isnan(half) else (math.exp(mean - half), math.exp(mean + half))


def _unguarded_agent(agent: Agent) -> tuple[str, str, str, Mapping[str, object]]:
    settings = {key: value for key, value in agent.settings.items() if key != "guard"}
    return agent.program, agent.version, agent.model, settings


def guard_table(rows: Sequence[GuardUse]) -> Table:
    """A row for each guarded agent."""
    columns = ("guard of", "allowed", "asked", "denied", "solved, with minus without", "time", "deciding")
    table = Table(*columns, box=None)
    for row in rows:
        ends = "" if row.interval is None else f" [{points_text(row.interval[0])}, {points_text(row.interval[1])}]"
        gap = row.reason if row.difference is None else f"{points_text(row.difference)}{ends}"
        span = "" if row.time_interval is None else f" [{row.time_interval[0]:.2f}, {row.time_interval[1]:.2f}]"
        times = "" if row.time_ratio is None else f"x{row.time_ratio:.2f}{span}"
        took = "" if row.seconds is None else f"{row.seconds * 1000:.1f} ms a trial"
        table.add_row(row.agent, str(row.allowed), str(row.asked), str(row.denied), gap, times, took)
    return table
