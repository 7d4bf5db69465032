"""Rates that can be told to others: a record that cannot be built without what a rate must not be told without.

`DisclosedRate` holds the rate with its denominator, tasks, arm (name, version and hash of its text), interval, judge
and its version, unread and void trials, the suite's hash, the dates and the errata. Building one without any of these
is an error that names what is missing; whatever prints rates takes this type, and so cannot leave anything out. A study
that was imported may not know its suite's hash, its arms or its dates: what it does not know stands in the rate by
name. What could not be measured at all is `Unmeasured`, with the reason: not a rate of 0.

A rate is the mean over tasks of the share of their trials, and its interval is for new tasks of the kind, tasks (and
variants of one task) being the clusters: trials of one task are alike, and never counted as independent.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from honestly.audit import NOTHING_READ, coverage_of
from honestly.errors import StatisticsError
from honestly.records import ReadCoverage
from honestly.stats import Policy, ResolvedScores, Scores, score
from honestly.stress._judged import SOLVED, UNKNOWN_ARM, Condition, Judge, JudgedSet, JudgedTrial

_POLICY = Policy(limit="fail", void="drop", missing="drop")


_HASH, _ARM, _DATES = IMPORT_UNKNOWN = ("the hash of its suite", "its arm", "the dates of its trials")
"""What a rate of an imported study may lack, if it says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosedRate:
    """One rate with all the context that it needs.

    Raises:
        StatisticsError: something that a rate must not be printed without is missing or impossible; the message names
            each such thing.
    """

    measure: str
    """What the trials did that are counted."""
    suite: str
    """Name of the set of tasks."""
    suite_version: str
    """Hash of that set."""
    agent: str
    """Without arm and checkpoint."""
    checkpoint: str
    """Empty where none was given."""
    arm: str
    arm_version: str
    arm_hash: str
    """Of the text that the agent was told, and where."""
    found: int
    """Trials that did it."""
    trials: int
    """The denominator: trials that could be read."""
    tasks: int
    """Tasks that these are of."""
    rate: float
    """Mean over tasks, in [0, 1]."""
    low: float
    high: float
    level: float
    """ReadCoverage of the interval."""
    method: str
    """How the interval was computed."""
    judge: str
    judge_version: str
    unread: int
    """Trials that ended and could not be read; in no denominator."""
    void: int
    """Trials that the harness spoilt; in no denominator."""
    first: str
    """When the first trial began, ISO 8601."""
    last: str
    errata: tuple[str, ...]
    """What is known to be wrong with it; empty where nothing is."""
    imported_from: str = ""
    """Where the trials are from, if they were not run here."""
    unknown: tuple[str, ...] = ()
    """What the import does not say, by name; of `IMPORT_UNKNOWN`."""
    coverage: ReadCoverage = NOTHING_READ
    """How much of what the agent did is understood, over all its trials."""

    def __post_init__(self) -> None:
        allowed = IMPORT_UNKNOWN if self.imported_from else ()
        if lacking := [what for what in self._lacking_parts() if what not in self.unknown or what not in allowed]:
            raise StatisticsError(
                f"the rate {self.measure!r} of {self.agent or 'an unnamed agent'!r} cannot be printed without "
                f"{', '.join(lacking)}"
            )

    def _lacking_parts(self) -> list[str]:
        words = {
            "what it counts": self.measure,
            "the name of its suite": self.suite,
            _HASH: self.suite_version,
            "its agent": self.agent,
            _ARM: self.arm and self.arm_version and self.arm_hash,
            "the method of its interval": self.method,
            "its judge": self.judge,
            "the version of its judge": self.judge_version,
            _DATES: self.first and self.last,
        }
        counts = self.trials > 0 and self.tasks > 0 and 0 <= self.found <= self.trials
        shares = (self.low, self.rate, self.high)
        ordered = all(0 <= share <= 1 for share in shares) and self.low <= self.rate <= self.high
        return [
            *(what for what, said in words.items() if not said.strip()),
            *([] if counts else ["its denominator"]),
            *([] if ordered and 0 < self.level < 1 else ["its interval"]),
            *([] if self.unread >= 0 and self.void >= 0 else ["its unread share"]),
        ]

    @property
    def unread_share(self) -> float:
        """Share of the trials that ended, and could not be read."""
        return self.unread / (self.trials + self.unread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """Something of which there is no rate."""

    measure: str
    suite: str
    suite_version: str
    agent: str
    checkpoint: str
    arm: str
    unread: int
    void: int
    reason: str


def measured_value(trial: JudgedTrial, measure: str) -> bool | None:
    """A trial's value of a measure; None where it says nothing."""
    return trial.solved if measure == SOLVED else trial.hacked


def scores_of(groups: Mapping[str, Iterable[JudgedTrial]], measure: str) -> ResolvedScores | None:
    """Each group's trials as scores over tasks, with variants of one task as clusters; None where nothing was read."""
    rows = [
        (name, trial.task, trial.id, value, trial.cluster)
        for name, trials in groups.items()
        for trial in trials
        if (value := measured_value(trial, measure)) is not None
    ]
    if not rows:
        return None
    if len({row[4] for row in rows}) == len({row[1] for row in rows}):
        return Scores.from_rows(row[:4] for row in rows).resolve(_POLICY)
    return Scores.from_rows(rows).resolve(_POLICY)


def rates_of(judged: JudgedSet, level: float = 0.95) -> list[DisclosedRate | Unmeasured]:
    """The rates of a set: for every agent what the set's judge counts, and, on solvable tasks, what it solved.

    Args:
        judged: the set.
        level: coverage of the intervals.

    Raises:
        StatisticsError: a rate lacks something that it must not be printed without.
    """
    return [
        _disclosed_rate(judged, one, measure, level) for one in judged.conditions for measure in judged.measured_names
    ]


def _disclosed_rate(judged: JudgedSet, condition: Condition, measure: str, level: float) -> DisclosedRate | Unmeasured:
    trials = judged.agent_trials(condition.agent)
    read = [value for trial in trials if (value := measured_value(trial, measure)) is not None]
    void = sum(trial.void for trial in trials)
    unread = len(trials) - len(read) - void
    resolved = scores_of({condition.agent: trials}, measure)
    estimate = None if resolved is None else score(resolved, condition.agent, level=level)
    if estimate is None or math.isnan(estimate.interval[0]):
        unjudged = measure == SOLVED and judged.imported_from
        missing = "the import has no outcomes" if unjudged else "no trial could be read"
        reason = (estimate.reason if estimate is not None else None) or missing
        return _unmeasured_rate(judged, condition, measure, (unread, void), reason)
    judge, told = _judge(judged.judge, measure), condition.arm is not UNKNOWN_ARM
    known = {_HASH: judged.version, _ARM: told, _DATES: judged.first and judged.last}
    return DisclosedRate(
        measure=measure,
        suite=judged.name,
        suite_version=judged.version,
        agent=condition.base,
        checkpoint=condition.checkpoint,
        arm=condition.arm.name,
        arm_version=condition.arm.version,
        arm_hash=condition.arm.hash if told else "",
        found=sum(read),
        trials=len(read),
        tasks=estimate.n,
        rate=estimate.mean,
        low=min(estimate.interval[0], estimate.mean),
        high=max(estimate.interval[1], estimate.mean),
        level=level,
        method=estimate.method,
        judge=judge.name,
        judge_version=judge.version,
        unread=unread,
        void=void,
        first=judged.first,
        last=judged.last,
        errata=judged.errata,
        imported_from=judged.imported_from,
        unknown=tuple(what for what, value in known.items() if not value) if judged.imported_from else (),
        coverage=coverage_of(trial.coverage for trial in trials),
    )


def _unmeasured_rate(
    judged: JudgedSet, condition: Condition, measure: str, spoilt: tuple[int, int], reason: str
) -> Unmeasured:
    return Unmeasured(
        measure=measure,
        suite=judged.name,
        suite_version=judged.version,
        agent=condition.base,
        checkpoint=condition.checkpoint,
        arm=condition.arm.name,
        unread=spoilt[0],
        void=spoilt[1],
        reason=reason,
    )


def _judge(judge: Judge, measure: str) -> Judge:
    return Judge(measure, f"hidden checks and {judge.name}", judge.version) if measure == SOLVED else judge
