"""How far a study is, also while a run writes it: counted by the store, and read from what the run leaves beside it.

No trial is read. What is planned is all agents at all tasks, as often as the study's facts say; what a run does of it
now, how fast, and what that cost, the run says itself. Processes are told apart on one machine only: of a run on
another one nothing is seen but what it has stored.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from honestly.records import Outcome, Stale
from honestly.store import AgentPace, Running, RunPace, live_trials, open_study, read_paces, unfinished_folder
from honestly.work import writer_of

_GRACE = 5
"""Checks may be run so often (again, turned round, to tell chance), before a trial counts as stuck."""
_SPARE_S = 120.0


@dataclass(frozen=True, slots=True)
class InFlight:
    """A trial that runs now."""

    agent: str
    task: str
    sample: int
    seconds: float
    """Since it began."""
    state: str
    """`working`: within the agent's time; `judged`: its time is over, its work is being checked; `stuck`: longer than
    both can take; `unknown`: its limits were not noted."""


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """How far a study is."""

    study: str
    suite: str
    trials: int
    planned: int | None
    """None where nobody knows: a study that was imported."""
    agents: tuple[AgentPace, ...]
    """What the study holds of each, and at which rate those of the runs that write it go on."""
    usd: float | None
    """What all trials cost, earlier attempts not counted; None where none says."""
    worst: str
    """The reason for which most trials are void."""
    worst_times: int
    stale: tuple[Stale, ...]
    """Results that were set aside."""
    writer: int | None
    """Number of the process that writes it."""
    runs: tuple[RunPace, ...]
    """How the runs go that write it, the oldest first. Each counts what the study held when it began, and its own."""
    in_flight: tuple[InFlight, ...]
    left_behind: int
    """Journals of trials that were killed, in the folder beside the study."""


def study_status(path: Path) -> StudyStatus:
    """How far the study in a file is.

    Raises:
        StoreError: there is none.
    """
    now = datetime.now(UTC)
    runs, live = read_paces(path), live_trials(path)
    with open_study(path, checked=True) as study:
        facts, ended = study.facts(), study.ended()
        names = [agent.name for agent in study.agents()]
    each = (facts.samples or 0) * ended.tasks
    outcomes: Counter[tuple[str, Outcome]] = Counter()
    reasons: Counter[str] = Counter()
    usd: dict[str, float] = {}
    for count in ended.counts:
        outcomes[count.agent, count.outcome] += count.trials
        if count.usd is not None:
            usd[count.agent] = usd.get(count.agent, 0.0) + count.usd
        if count.outcome is Outcome.VOID:
            reasons[count.reason] += count.trials
    held = tuple(
        AgentPace(
            agent=name,
            planned=each,
            **{str(outcome): outcomes[name, outcome] for outcome in Outcome},
            **_running_pace([mine for run in runs for mine in run.agents if mine.agent == name], usd.get(name)),
        )
        for name in names
    )
    worst = reasons.most_common(1)
    folder = unfinished_folder(path)
    return StudyStatus(
        study=str(path),
        suite=facts.suite or facts.imported_from or "",
        trials=outcomes.total(),
        planned=each * len(names) or None,
        agents=held,
        usd=sum(usd.values()) if usd else None,
        worst=worst[0][0] if worst else "",
        worst_times=worst[0][1] if worst else 0,
        stale=facts.stale,
        writer=writer_of(path),
        runs=tuple(runs),
        in_flight=tuple(_in_flight(each, now) for each in live),
        left_behind=(sum(1 for _ in folder.glob("*.jsonl")) if folder.is_dir() else 0) - len(live),
    )


def _running_pace(paces: Sequence[AgentPace], usd: float | None) -> dict[str, Any]:
    """The pace of the runs that an agent is in; `usd` is what its trials in the study cost."""
    rates = [pace.per_hour for pace in paces if pace.per_hour is not None]
    # What several say that they have spent overlaps, since each counts what was there when it began.
    only = paces[0] if len(paces) == 1 else AgentPace(agent="", planned=0)
    spent = [each for each in (usd, only.usd) if each is not None]
    return {
        "in_flight": sum(pace.in_flight for pace in paces),
        "ended": sum(pace.ended for pace in paces),
        "per_hour": round(sum(rates), 1) if rates else None,
        "usd": max(spent, default=None),
        "tokens": only.tokens,
    }


def _in_flight(running: Running, now: datetime) -> InFlight:
    try:
        seconds = max(0.0, (now - datetime.fromisoformat(running.started_at)).total_seconds())
    except (ValueError, TypeError):  # anybody may write there
        seconds = 0.0
    limit = running.timeout_s
    if limit is None:
        state = "unknown"
    elif seconds <= limit:
        state = "working"
    else:
        state = "judged" if seconds <= limit + _GRACE * running.checks_s + _SPARE_S else "stuck"
    return InFlight(running.agent, running.task, running.sample, round(seconds, 1), state)
