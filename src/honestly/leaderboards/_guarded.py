"""What guards decided in a study's trials, and what each cost in solved tasks: its agent against itself without.

Decisions are those of the artifact `guard.jsonl`. An agent's own twin is the one of the study with the same program,
version, model and settings but for the guard; without it there is no difference to tell.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table

from honestly.comparisons import comparison
from honestly.errors import StatisticsError, UnfairComparisonError
from honestly.records import Agent
from honestly.scores import DEFAULT_POLICY, UNDECLARED, Declared, Interval
from honestly.show import points_text
from honestly.stats import Policy
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
        trials = recorded = 0
        for trial in study.trials(agent=agent.name):
            trials += 1
            if _RECORD in study.artifacts(trial.id):
                recorded += 1
                words.update(map(_word, study.artifact(trial.id, _RECORD).split(b"\n")))
        counted = trials, recorded, words["allow"], words["ask"], words["deny"], words["unreadable"]
        twin = next((each.name for each in agents if each.name != agent.name and _plain(each) == _plain(agent)
                     and "guard" not in each.settings), "")  # fmt: skip
        if not twin:
            rows.append(GuardUse(agent.name, *counted, reason="the study has no such agent without a guard"))
            continue
        try:
            found = comparison(study, agent.name, twin, policy, alpha, declared)
        except (StatisticsError, UnfairComparisonError) as error:
            rows.append(GuardUse(agent.name, *counted, twin, reason=str(error)))
        else:
            rows.append(GuardUse(agent.name, *counted, twin, found.difference, found.interval))
    return tuple(rows)


def _word(line: bytes) -> str:
    try:
        found = json.loads(line)["decision"]
    except (ValueError, KeyError, TypeError):
        return "unreadable"
    return found if found in {"allow", "ask", "deny"} else "unreadable"


def _plain(agent: Agent) -> tuple[str, str, str, Mapping[str, object]]:
    settings = {key: value for key, value in agent.settings.items() if key != "guard"}
    return agent.program, agent.version, agent.model, settings


def guard_table(rows: Sequence[GuardUse]) -> Table:
    """A row for each guarded agent."""
    table = Table("guard of", "allowed", "asked", "denied", "solved, with minus without", box=None)
    for row in rows:
        ends = "" if row.interval is None else f" [{points_text(row.interval[0])}, {points_text(row.interval[1])}]"
        gap = row.reason if row.difference is None else f"{points_text(row.difference)}{ends}"
        table.add_row(row.agent, str(row.allowed), str(row.asked), str(row.denied), gap)
    return table
