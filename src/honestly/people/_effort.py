"""What an agent's success cost its user: corrections, nudges, questions, what was forgotten, and what nobody asked for.

Read from the trials that had a user (`user.json`). A question's effort is low if it was about something that the user
had not said, medium if there was nothing to say, high if it asked for what a user does not do. Precision is the share
of low ones, recall the share of untold facts that were got by asking. Forgotten are requirements of which a hidden
check passed when its turn had ended, and fails at the end; beyond are lines changed in files that neither the
reference, a listed wrong solution nor a visible check touches. The user's time is reading at 238 and typing at 40 words
a minute, which are usual speeds and not measured here.

Sessions of people with agents (`honestly study import`) have no such record: their messages are read instead, the
questions are the user's, and what only a task's checks can tell is not known.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from typing import ClassVar

import msgspec
from msgspec.structs import replace
from rich.console import Console, ConsoleOptions, RenderableType

from honestly.errors import StatisticsError
from honestly.people._effort_figure import effort_figure
from honestly.people._preferences import PREFERENCES
from honestly.people._session_effort import SessionEffort, is_session, session_effort
from honestly.people._user_arms import USER_RECORD, UserRecord, read_user_record
from honestly.records import Agent, Edit, Outcome, Task, Trial, decode
from honestly.runner import TURNS
from honestly.show import Figures, Shown, dim_line, interval_text, numbers_table, percent_text, plural_text
from honestly.stats import wilson_interval
from honestly.store import Store

NUDGE = 0.2
"""What a nudge weighs against a correction (SWE-Together, arXiv 2606.29957)."""

_READ, _TYPED = 238.0, 40.0
"""Words a minute."""
_FINAL = "final.json"


@dataclass(frozen=True, slots=True)
class TrialEffort:
    """One trial with a user."""

    agent: str
    task: str
    passed: bool | None
    """None where nobody judged it."""
    corrections: int
    nudges: int
    efforts: tuple[str, ...]
    """Of each question; empty words where it is not known."""
    found: int
    """Facts got by asking."""
    hidden: int
    """Facts that the instruction did not tell."""
    forgotten: int | None
    """None where it had no turns, or these were not judged."""
    beyond: int | None
    rework: int | None
    turns: int
    seconds: float
    kept: tuple[int, int, int, int]
    """Preferences kept and looked at, of those that may be trained on; and of those held out."""
    waiting: float | None = None
    """Seconds that the user waited; None where that is not known."""
    interruptions: int | None = None
    take_backs: int | None = None

    @property
    def user_correction(self) -> float:
        """Corrections, and nudges at a fifth."""
        return self.corrections + NUDGE * self.nudges


@dataclass(frozen=True, slots=True)
class AgentEffort:
    """One agent's trials with a user; means per trial, except shares."""

    agent: str
    n: int
    success: float | None
    """Of those that were judged; None where none was."""
    interval: tuple[float, float] | None
    corrections: float
    nudges: float
    questions: float
    low: float
    medium: float
    high: float
    """Questions by effort."""
    ask_precision: float | None
    """None where it asked nothing."""
    ask_recall: float | None
    """None where everything had been told."""
    user_correction: float
    forgotten: float | None
    """None where no trial had turns."""
    beyond: float | None
    rework: float | None
    turns: float
    seconds: float
    preferences_kept: float | None
    held_out_kept: float | None
    waiting: float | None
    interruptions: float | None
    take_backs: float | None


@dataclass(frozen=True, slots=True, repr=False)
class EffortReport(Shown):
    """What success cost the user, by agent."""

    main_table: ClassVar[str] = "agents"

    level: float
    agents: tuple[AgentEffort, ...]
    without: int
    """Trials that had no user, which are not in it."""
    sessions: int = 0
    """Trials that are sessions of people, whose messages were told apart by rules."""

    @property
    def figures(self) -> Figures:
        """Success against effort, of those agents that were judged."""
        rows = [(each.agent, each.success, each.user_correction) for each in self.agents if each.success is not None]
        return Figures([effort_figure(rows)] if rows else [])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield numbers_table(
            "success, and what it cost the user (means of a trial)",
            {"agent": 20, "n": 4, "passed": 6, "asked": 5, "right": 5, "found": 5, "user": 5, "forgot": 6, "beyond": 6},
            [
                (
                    each.agent,
                    f"{each.n}",
                    _share_text(each.success),
                    f"{each.questions:.2f}",
                    _share_text(each.ask_precision),
                    _share_text(each.ask_recall),
                    f"{each.user_correction:.2f}",
                    ("" if each.forgotten is None else f"{each.forgotten:.2f}"),
                    "" if each.beyond is None else f"{each.beyond:.1f}",
                )
                for each in self.agents
            ],
            options.max_width,
        )
        for each in self.agents:
            passed = "not judged" if each.interval is None else f"passed {interval_text(*each.interval)}"
            more = {
                "turns": each.turns,
                "lines taken back": each.rework,
                "interruptions": each.interruptions,
                "take-backs": each.take_backs,
                "minutes of waiting": each.waiting and each.waiting / 60,
                "minutes of reading and typing, by words": each.seconds / 60,
            }
            yield dim_line(
                f"{each.agent}: {passed}; {each.corrections:.2f} corrections, {each.nudges:.2f} nudges, "
                + ", ".join(f"{value:.1f} {name}" for name, value in more.items() if value is not None)
            )
        if self.sessions:
            told = "asked are the user's questions; rules tell messages apart, and miss many."
            yield dim_line(f"{plural_text(self.sessions, 'session')}: {told}")
        yield dim_line("right: of its questions; found: of the untold facts, by asking; user: corrections + 0.2 nudges")
        if self.without:
            yield dim_line(f"{plural_text(self.without, 'trial')} had no user (--arm), and are not in it.")


GROUPS = ("agent", "model", "version", "month", "week")
"""What trials can be grouped by."""


def group_of(by: str, trial: Trial, agent: Agent) -> str:
    """The group of a trial: its agent, model, version or start time.

    Raises:
        StatisticsError: there are no such groups.
    """
    began = trial.started_at or ""
    if by not in GROUPS:
        raise StatisticsError(f"effort is grouped by {', '.join(GROUPS)}, not by {by!r}")
    if by == "week":
        year, week, _ = date.fromisoformat(began[:10]).isocalendar() if began else (0, 0, 0)
        return f"{year}-W{week:02}" if began else "unknown"
    words = {"agent": agent.name, "model": agent.model, "version": f"{agent.program} {agent.version}".strip()}
    return (began[:7] if by == "month" else words[by]) or "unknown"


def effort_of_trials(store: Store, by: str = "agent") -> Iterator[TrialEffort | None]:
    """What each trial of a study cost its user; None for one without a user. Void ones count if they are sessions.

    Args:
        store: the study.
        by: what stands in the place of agents.
    """
    tasks = {task.id: task for task in store.tasks()}
    agents = {agent.name: agent for agent in store.agents()}
    for trial in store.trials():
        names = store.artifacts(trial.id)
        label = group_of(by, trial, agents[trial.agent])
        if USER_RECORD not in names:
            steps = list(store.steps(trial.id))
            if is_session(trial, agents[trial.agent], steps):
                yield _session_trial(label, trial, session_effort(steps))
            elif trial.outcome is not Outcome.VOID:
                yield None
            continue
        if trial.outcome is Outcome.VOID:
            continue
        trial = replace(trial, agent=label)
        record = read_user_record(store.artifact(trial.id, USER_RECORD))
        turns = msgspec.json.decode(store.artifact(trial.id, TURNS), type=list[set[str]]) if TURNS in names else None
        final = decode(store.artifact(trial.id, _FINAL), Edit) if _FINAL in names else Edit()
        strict = bool(store.facts().strict)
        yield _trial_effort(trial, trial.counted_trial(strict=strict).outcome, record, turns, tasks[trial.task], final)


def _session_trial(label: str, trial: Trial, found: SessionEffort) -> TrialEffort:
    judged = trial.outcome in (Outcome.PASSED, Outcome.FAILED)
    return TrialEffort(
        label,
        trial.task,
        trial.outcome is Outcome.PASSED if judged else None,
        found.corrections,
        found.nudges,
        ("",) * found.questions,
        found=0,
        hidden=0,
        forgotten=None,
        beyond=None,
        rework=None,
        turns=1 + found.messages,
        seconds=60 * (found.words_read / _READ + found.words_typed / _TYPED),
        kept=(0, 0, 0, 0),
        waiting=found.waiting,
        interruptions=found.interruptions,
        take_backs=found.take_backs,
    )


def _trial_effort(
    trial: Trial, outcome: Outcome, record: UserRecord, turns: Sequence[set[str]] | None, task: Task, final: Edit
) -> TrialEffort:
    asked = [event for event in record.events if event.question]
    said = [event for event in record.events if not event.question]
    read = sum(len(event.question.split()) for event in asked)
    typed = sum(len(event.text.split()) for event in record.events)
    kept = [0, 0, 0, 0]
    for event in asked:
        for name in record.manner.preferences:
            place = 2 if PREFERENCES[name].held_out else 0
            kept[place] += name not in event.broken
            kept[place + 1] += 1
    return TrialEffort(
        trial.agent,
        trial.task,
        outcome is Outcome.PASSED,
        sum(event.kind == "correction" for event in said),
        sum(event.kind == "nudge" for event in said),
        tuple(event.effort for event in asked),
        sum(len(event.facts) for event in asked),
        len(record.hidden),
        forgotten_requirements(record, turns),
        lines_beyond(task, final),
        record.rework,
        record.turns,
        60 * (read / _READ + typed / _TYPED),
        (kept[0], kept[1], kept[2], kept[3]),
    )


def forgotten_requirements(record: UserRecord, turns: Sequence[set[str]] | None) -> int | None:
    """Requirements that were met after the turn in which they were given, but not at the end.

    The work that came first counts as one: all checks that are no fact's own.

    Args:
        record: what passed between agent and user.
        turns: hidden checks that passed at the end of each turn.
    """
    if not turns:
        return None
    own = {check for checks in record.checks.values() for check in checks}
    lost = bool((turns[0] - own) - turns[-1])
    return int(lost) + sum(
        any(
            name in told and (set(checks) - turns[-1]) & passed for told, passed in zip(record.told, turns, strict=True)
        )
        for name, checks in record.checks.items()
    )


def lines_beyond(task: Task, final: Edit) -> int:
    """Lines changed in files that no known solution and no visible check touches."""
    known = [task.hidden.reference, *(wrong.edit for wrong in task.hidden.wrong)] if task.hidden else []
    fine = {path for edit in known for path in (*edit.write.files, *edit.delete)}
    fine |= set(task.visible.files.files) if task.visible else set()
    count = 0
    for path in sorted({*final.write.files, *final.delete} - fine):
        before, after = (
            tree.files[path].data.splitlines() if path in tree.files else [] for tree in (task.workspace, final.write)
        )
        for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            count += 0 if tag == "equal" else (j - i) + (m - k)
    return count


def effort_report(found: Iterable[TrialEffort | None], *, level: float = 0.95) -> EffortReport:
    """What success cost the user, by agent.

    Raises:
        StatisticsError: no trial had a user.
    """
    rows = list(found)
    trials = [row for row in rows if row is not None]
    if not trials:
        raise StatisticsError(
            "no trial of this study had a user, and none is a session; run one with --arm full,hidden,interact,session"
        )
    names = dict.fromkeys(trial.agent for trial in trials)
    return EffortReport(
        level,
        tuple(_agent_effort(name, [trial for trial in trials if trial.agent == name], level) for name in names),
        len(rows) - len(trials),
        sum(trial.take_backs is not None for trial in trials),
    )


def _agent_effort(name: str, trials: Sequence[TrialEffort], level: float) -> AgentEffort:
    n, judged = len(trials), [trial.passed for trial in trials if trial.passed is not None]
    efforts = [effort for trial in trials for effort in trial.efforts]
    known = sum(effort != "" for effort in efforts)
    forgotten = [trial.forgotten for trial in trials if trial.forgotten is not None]
    low, high = wilson_interval(sum(judged), max(len(judged), 1), level)
    kept = [sum(trial.kept[place] for trial in trials) for place in range(4)]
    return AgentEffort(
        name,
        n,
        sum(judged) / len(judged) if judged else None,
        (float(low), float(high)) if judged else None,
        corrections=sum(trial.corrections for trial in trials) / n,
        nudges=sum(trial.nudges for trial in trials) / n,
        questions=len(efforts) / n,
        low=efforts.count("low") / n,
        medium=efforts.count("medium") / n,
        high=efforts.count("high") / n,
        ask_precision=_ratio(efforts.count("low"), known),
        ask_recall=_ratio(sum(trial.found for trial in trials), sum(trial.hidden for trial in trials)),
        user_correction=sum(trial.user_correction for trial in trials) / n,
        forgotten=_ratio(sum(forgotten), len(forgotten)),
        beyond=_mean_or_none(trial.beyond for trial in trials),
        rework=_mean_or_none(trial.rework for trial in trials),
        turns=sum(trial.turns for trial in trials) / n,
        seconds=sum(trial.seconds for trial in trials) / n,
        preferences_kept=_ratio(kept[0], kept[1]),
        held_out_kept=_ratio(kept[2], kept[3]),
        waiting=_mean_or_none(trial.waiting for trial in trials),
        interruptions=_mean_or_none(trial.interruptions for trial in trials),
        take_backs=_mean_or_none(trial.take_backs for trial in trials),
    )


def _mean_or_none(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _ratio(sum(known), len(known))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _share_text(value: float | None) -> str:
    return "" if value is None else percent_text(value, 0)
