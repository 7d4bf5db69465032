"""How far a run is, agent by agent: what ended how, how fast, what it cost, what goes wrong most often.

It begins with what the study holds of the plan, and is told of each attempt. Rates are those of this run: attempts
that ended, by the time since it began.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from os import getpid
from time import monotonic

from honestly.records import Outcome, Usage
from honestly.runner._attempt import TrialResult
from honestly.runner._oversight import Looker
from honestly.runner._plan import Plan, Planned
from honestly.runner._redo import same_reason
from honestly.store import AgentPace, Cell, RunPace, process_name


@dataclass(slots=True)
class _Agent:
    """The counts of one agent."""

    planned: int = 0
    in_flight: int = 0
    ended: int = 0
    usage: Usage = field(default_factory=Usage)


class RunCount(Looker):
    """Counts the trials of a run."""

    def __init__(self, plan: Plan, held: Iterable[Cell]) -> None:
        """A count.

        Args:
            plan: what is to happen.
            held: what the study holds; of other plans it is passed over.
        """
        self._suite, self._began, self._at = plan.suite.name, monotonic(), datetime.now(UTC)
        self._process, self._pid = process_name(), getpid()
        self._agents = {name: _Agent() for name in plan.names}
        self._counts: Counter[tuple[str, Outcome]] = Counter()
        self._before: dict[str, Outcome] = {}
        """How trials ended that may be done again: those that were held, and void ones of this run."""
        self._reasons: Counter[str] = Counter()
        self._told: dict[str, str] = {}
        cells = {cell.id: cell for cell in held}
        for each in plan.trials:
            agent = self._agents[each.actor.record.name]
            agent.planned += 1
            if (cell := cells.get(each.id)) is not None:
                self._before[cell.id] = cell.outcome
                self._counts[cell.agent, cell.outcome] += 1
                for usage in (Usage(usd=cell.usd), *(earlier.usage for earlier in cell.earlier)):
                    agent.usage += usage

    def began(self, planned: Planned) -> None:
        """An attempt begins."""
        self._agents[planned.actor.record.name].in_flight += 1

    def ended(self, planned: Planned, result: TrialResult) -> None:
        """An attempt has ended."""
        trial, agent = result.trial, self._agents[planned.actor.record.name]
        agent.in_flight -= 1
        agent.ended += 1
        agent.usage += trial.usage
        if (before := self._before.pop(trial.id, None)) is not None:
            self._counts[trial.agent, before] -= 1
        self._counts[trial.agent, trial.outcome] += 1
        if trial.outcome is Outcome.VOID:
            self._before[trial.id] = trial.outcome
            kind = same_reason(trial.reason)
            self._told[kind] = trial.reason
            self._reasons[kind] += 1

    def now(self, stopped: str = "") -> RunPace:
        """How far it is at this moment; `stopped` says why no further trial begins."""
        seconds = monotonic() - self._began
        agents = tuple(self._agent_pace(name, agent, seconds) for name, agent in self._agents.items())
        ended = sum(agent.ended for agent in self._agents.values())
        planned = sum(agent.planned for agent in agents)
        left = planned - self._counts.total() if not stopped else 0
        left = max(left, sum(agent.in_flight for agent in agents))
        worst = self._reasons.most_common(1)
        return RunPace(
            process=self._process,
            pid=self._pid,
            suite=self._suite,
            started_at=self._at.isoformat(timespec="seconds"),
            planned=planned,
            left=left,
            seconds=round(seconds, 1),
            eta_s=round(left * seconds / ended, 1) if ended and not stopped else None,
            agents=agents,
            worst=self._told[worst[0][0]] if worst else "",
            worst_times=worst[0][1] if worst else 0,
            stopped=stopped,
        )

    def _agent_pace(self, name: str, agent: _Agent, seconds: float) -> AgentPace:
        counts = {str(outcome): self._counts[name, outcome] for outcome in Outcome}
        return AgentPace(
            agent=name,
            planned=agent.planned,
            in_flight=agent.in_flight,
            ended=agent.ended,
            per_hour=round(3600 * agent.ended / seconds, 1) if agent.ended and seconds else None,
            usd=agent.usage.usd,
            tokens=agent.usage.tokens,
            **counts,
        )
