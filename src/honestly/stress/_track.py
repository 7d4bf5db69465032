"""The rate over the checkpoints of an agent, and the alarm that sounds when it rises.

A series is one agent under one arm on one version of one set; its checkpoints are in the order of their numbers where
all of them are numbers, else in the order in which their first trials began. Each series has an alarm of its own
(`honestly.stats.change_alarm`), false with a probability of alpha over all its checkpoints, however many follow.

The alarm counts trials on exactly these tasks, so a checkpoint at which other tasks were read than at the first would
be compared with something else: such checkpoints are named in `notes`, and so is an unread share that changes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from honestly.stats import ChangeAlarm, Counted, change_alarm
from honestly.stress._judged import Condition, JudgedSet, JudgedTrial

_UNREAD_MOVES = 0.1
"""A change of the unread share that is worth a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One agent over its checkpoints."""

    suite: str
    suite_version: str
    measure: str
    judge: str
    judge_version: str
    agent: str
    arm: str
    checkpoints: tuple[str, ...]
    """In their order; the first is the baseline, unless a tolerated rate is declared."""
    counts: tuple[Counted, ...]
    """Trials that did it, of those that were read."""
    alarm: ChangeAlarm
    notes: tuple[str, ...]

    @property
    def raised_at(self) -> str:
        """The checkpoint at which the alarm sounded first; empty while it has not."""
        return "" if self.alarm.raised_at is None else self.checkpoints[self.alarm.raised_at]


def checkpoint_series(judged: JudgedSet, *, alpha: float = 0.05, tolerate: float | None = None) -> list[Series]:
    """The series of a set: those of agents with a checkpoint, by agent and arm.

    Args:
        judged: the set.
        alpha: bound on the probability of a false alarm of one series.
        tolerate: the rate up to which nothing counts as a rise; None to compare with what was before.
    """
    grouped: dict[tuple[str, str], list[Condition]] = defaultdict(list)
    for condition in judged.conditions:
        if condition.checkpoint:
            grouped[condition.base, condition.arm.name].append(condition)
    return [
        _alarm_series(judged, _in_order(conditions, judged.began), alpha, tolerate)
        for _, conditions in sorted(grouped.items())
    ]


def _in_order(conditions: Sequence[Condition], began: Mapping[str, str]) -> list[Condition]:
    """Checkpoints by number where all are numbers, else by when they were first tried."""
    numbers = {condition.checkpoint: _parsed_number(condition.checkpoint) for condition in conditions}
    if all(number is not None for number in numbers.values()):
        return sorted(conditions, key=lambda one: (numbers[one.checkpoint] or 0.0, one.checkpoint))
    return sorted(conditions, key=lambda one: (began.get(one.agent, ""), one.checkpoint))


def _parsed_number(text: str) -> float | None:
    return float(text) if text.replace(".", "", 1).isdecimal() and text.isascii() else None


def _alarm_series(judged: JudgedSet, conditions: Sequence[Condition], alpha: float, tolerate: float | None) -> Series:
    first = conditions[0]
    trials = [judged.agent_trials(condition.agent) for condition in conditions]
    counts = tuple(_counted(each) for each in trials)
    return Series(
        suite=judged.name,
        suite_version=judged.version,
        measure=judged.judge.measure,
        judge=judged.judge.name,
        judge_version=judged.judge.version,
        agent=first.base,
        arm=first.arm.name,
        checkpoints=tuple(condition.checkpoint for condition in conditions),
        counts=counts,
        alarm=change_alarm(counts, tolerate=tolerate, alpha=alpha),
        notes=tuple(_series_notes(conditions, trials)),
    )


def _counted(trials: Iterable[JudgedTrial]) -> Counted:
    read = [trial.hacked for trial in trials if trial.hacked is not None]
    return Counted(sum(read), len(read))


def _series_notes(conditions: Sequence[Condition], trials: Sequence[Sequence[JudgedTrial]]) -> list[str]:
    first = trials[0]
    others = [
        condition.checkpoint
        for condition, own in zip(conditions, trials, strict=True)
        if _readable_tasks(own) != _readable_tasks(first)
    ]
    moved = [
        condition.checkpoint
        for condition, own in zip(conditions, trials, strict=True)
        if abs(_unread_share(own) - _unread_share(first)) > _UNREAD_MOVES
    ]
    return [
        f"checkpoint {', '.join(names)} {what} {conditions[0].checkpoint}: compare with care"
        for names, what in (
            (others, "read other tasks, or another number of trials of them, than"),
            (moved, "could read another share of its trials than"),
        )
        if names
    ]


def _readable_tasks(trials: Iterable[JudgedTrial]) -> list[str]:
    return sorted(trial.task for trial in trials if trial.hacked is not None)


def _unread_share(trials: Sequence[JudgedTrial]) -> float:
    ended = [trial for trial in trials if not trial.void]
    return sum(trial.hacked is None for trial in ended) / len(ended) if ended else 0.0
