"""Which trials of a study are done again, and how often.

A void trial says nothing of its agent, so it is done again by itself until it is none, or has had its attempts. Others
are done again only where somebody chooses them. To choose by the outcome is to choose the score: whoever does every
`limit` again and keeps the rest has given the agent a second chance where it failed and none where it passed. So what
was chosen stays on record (`Trial.earlier`), and reports count it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from honestly.records import Outcome, Trial
from honestly.runner._choice import read_one
from honestly.runner._patience import ATTEMPTS, BREAKER
from honestly.store import Cell

_OUTCOMES = (Outcome.VOID, Outcome.LIMIT)
STALE = "stale"
"""The value of `--redo` that reruns trials of changed tasks and agents, and keeps their old results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redo:
    """Which trials are rerun, how often, and when an agent is stopped."""

    attempts: int = ATTEMPTS
    """Attempts at one trial, over all runs."""
    limit: bool = False
    """Whether trials that ended at a limit are done again, too."""
    tasks: frozenset[str] = frozenset()
    """Tasks of which every trial is done again, whatever its outcome."""
    agents: frozenset[str] = frozenset()
    """Agents of which every trial is done again, whatever its outcome."""
    waits_s: tuple[float, ...] = (5.0, 20.0)
    """Seconds before each further attempt at a void trial within one run, where trying again may help."""
    breaker: int = BREAKER
    """Trials of one agent in a row that are void for one reason, after which no more of its trials begin; 0: never.
    Those that were in flight together with the first count as one; see `Breaker`."""

    @property
    def redoes_any(self) -> bool:
        """Whether trials that are not void are done again."""
        return self.limit or bool(self.tasks or self.agents)

    def redoes_cell(self, cell: Cell) -> bool:
        """Whether a trial that the study holds is to be done again."""
        chosen = cell.task in self.tasks or cell.agent in self.agents or (self.limit and cell.outcome is Outcome.LIMIT)
        return (chosen or cell.outcome is Outcome.VOID) and cell.attempts < self.attempts


USUAL_REDO = Redo()
"""Void trials alone."""


def read_redo(given: Iterable[str], attempts: int, agents: Sequence[str], tasks: Sequence[str]) -> Redo:
    """The choices in `--redo`: `void`, `limit`, `stale`, `task=ID`, `agent=NAME`.

    Args:
        given: as it was typed.
        attempts: at one trial, over all runs.
        agents: names of the agents of the run.
        tasks: ids of its tasks.

    Raises:
        AgentError: something else was typed, or the run has no such agent or task.
    """
    chosen: dict[str, set[str]] = {"task": set(), "agent": set()}
    limit = False
    for text in given:
        if text in _OUTCOMES:
            limit |= text == Outcome.LIMIT
        elif text != STALE:  # which is no choice among results that count
            expected = "void, limit, stale, task=ID or agent=NAME"
            kind, name = read_one(f"--redo {text!r}", text, expected, agents, tasks)
            chosen[kind].add(name)
    return Redo(attempts=attempts, limit=limit, tasks=frozenset(chosen["task"]), agents=frozenset(chosen["agent"]))


_NUMBER = re.compile(r"\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8,}\b|\d+(?:\.\d+)?")


def same_reason(reason: str) -> str:
    """A reason without numbers, addresses and hashes, for grouping."""
    return " ".join(_NUMBER.sub("#", reason).split())


class Breaker:
    """Gives an agent up after several of its trials in a row were void for one reason.

    Those that were in flight together when something broke are one piece of news, however many: what struck them may be
    over when the first of them is known. So after the first of a row only attempts count that began when it was known.
    One at a time, that is each; with a thousand in flight, an outage of seconds gives up nobody, and a dead endpoint is
    given up as soon as a few that began after the first have met it, too.
    """

    def __init__(self, least: int) -> None:
        self._least = least
        self._row: dict[str, tuple[str, float, set[str]]] = {}
        """Of each agent: the reason, when the first of the row was known, and the trials that count."""
        self.open: dict[str, str] = {}
        """Agents that were given up, and the reason."""

    def note(self, trial: Trial, began: float, now: float) -> None:
        """Takes into account how an attempt ended that began then, by the clock that says `now`."""
        if not self._least or trial.agent in self.open:
            return
        why = same_reason(trial.reason)
        # What one task lacks says nothing of the others.
        if trial.outcome is not Outcome.VOID or why.startswith("TaskError:"):
            self._row.pop(trial.agent, None)
            return
        row = self._row.get(trial.agent)
        if row is None or row[0] != why:
            row = self._row[trial.agent] = (why, now, {trial.id})
        elif began >= row[1]:
            row[2].add(trial.id)
        if len(row[2]) >= self._least:
            self.open[trial.agent] = trial.reason
