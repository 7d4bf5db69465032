"""The budget of a whole study, and its spending: trials, hours, tokens, US dollars, over all commands.

Everything is read from the study's own trials, attempts that others took the place of included, so that a run that was
killed has forgotten nothing; and what others store meanwhile, who are at work on the same study, is read now and then
(`Account`). Hours are those in which at least one trial was running: the pause between two commands
costs nothing, and two trials at a time cost no more than one. A trial that reports neither tokens nor a price counts
as none of either.
"""

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from honestly.errors import StudyAwayError, StudyBusyError
from honestly.records import Attempt, Outcome, Trial, Usage
from honestly.store import Store
from honestly.work import Budget, read_budget

Span: TypeAlias = tuple[float, float]
"""When something ran, seconds since 1970."""

_EVERY_S, _SHARE = 5.0, 50.0
"""How often to look at what others have spent: seconds, and times what a look takes."""

_EXAMPLE = "200 trials, 2h, 5M tokens, 20 usd"


def read_study_budget(text: str) -> Budget:
    """A budget as people write it: `200 trials, 2h, 5M tokens, 20 usd`.

    Raises:
        BudgetError: a part of it is not understood.
    """
    return read_budget(text, ("trials", "seconds", "tokens", "usd"), _EXAMPLE)


@dataclass(slots=True)
class StudySpent:
    """The spending of a study."""

    trials: int = 0
    seconds: float = 0.0
    tokens: int = 0
    usd: float = 0.0

    def limit_reached(self, budget: Budget) -> str:
        """Which limit of what trials cost is reached, in words; empty where none is."""
        if budget.usd is not None and self.usd >= budget.usd:
            return f"{budget.usd:g} usd are spent ({self.usd:.2f})"
        if budget.tokens is not None and self.tokens >= budget.tokens:
            return f"{budget.tokens:,} tokens are spent ({self.tokens:,})"
        if budget.seconds is not None and self.seconds >= budget.seconds:
            return f"{in_hours(budget.seconds)} are over"
        return ""

    def add_usage(self, usage: Usage) -> None:
        """Adds what an attempt consumed."""
        self.usd += usage.usd or 0.0
        self.tokens += usage.tokens or 0

    def add_attempts(self, attempts: Iterable[Attempt]) -> list[Span]:
        """Adds what attempts consumed; returns when they ran."""
        spans = []
        for each in attempts:
            self.add_usage(each.usage)
            if each.started_at and each.seconds:
                with suppress(ValueError, OverflowError):  # of an import, or a study that somebody made by hand
                    start = datetime.fromisoformat(each.started_at).timestamp()
                    spans.append((start, start + each.seconds))
        return spans


class Account:
    """The spending of a study, while this run and maybe others are at work on it."""

    def __init__(self, study: Store, now: float) -> None:
        """Reads what the study holds; `now` is the time by the clock of the event loop, as everywhere here."""
        self._study, self._spent = study, StudySpent()
        self._began, self._wall = now, time.time()
        self._before: list[Span] = []
        """When trials ran before this run began; since then time is counted as it passes."""
        self._before_s = 0.0
        self._seen: dict[str, int] = {}
        self._known: dict[str, int] = {}
        """Attempts that are counted, by trial, where others write the study, too."""
        self._generation = study.generation()
        self._read_trials(study.new_trials(self._seen) if study.shared else study.trials())
        self._look_at = time.monotonic() + _EVERY_S

    def now(self, now: float) -> StudySpent:
        """The spending by now."""
        self._spent.seconds = self._before_s + now - self._began
        return self._spent

    def begin(self, *, new: bool) -> None:
        """Notes that this run begins an attempt, at a `new` trial or not."""
        self._spent.trials += new

    def end(self, trial: Trial) -> None:
        """Notes that it has ended, and is stored."""
        self._spent.add_usage(trial.usage)
        if self._study.shared:
            self._known[trial.id] = self._known.get(trial.id, 0) + 1

    def is_due(self) -> bool:
        """Whether it is time for another look at what others have stored."""
        return self._study.shared and time.monotonic() >= self._look_at

    def read_stored(self) -> None:
        """Reads what others have stored, if they have."""
        began = time.monotonic()
        with suppress(StudyAwayError, StudyBusyError):  # and goes by what is known
            generation = self._study.generation()
            if generation != self._generation:
                self._read_trials(self._study.new_trials(self._seen))
                self._generation = generation
        now = time.monotonic()
        self._look_at = now + max(_EVERY_S, _SHARE * (now - began))

    def _read_trials(self, trials: Iterable[Trial]) -> None:
        earlier: list[Span] = []
        try:
            for trial in trials:
                attempts, known = (*trial.earlier, trial.as_attempt()), self._known.get(trial.id, 0)
                self._spent.trials += not known
                spans = self._spent.add_attempts(attempts[known:])
                earlier += ((start, min(end, self._wall)) for start, end in spans if start < self._wall)
                if self._study.shared:
                    self._known[trial.id] = max(known, len(attempts))
        finally:  # what was read before a connection was lost is not read again
            if earlier:
                self._before = merged_spans([*self._before, *earlier])
                self._before_s = sum(end - start for start, end in self._before)


def spent_on(trials: Iterable[Trial]) -> StudySpent:
    """The cost of trials and their earlier attempts."""
    spent, spans = StudySpent(), []
    for trial in trials:
        spent.trials += 1
        spans += spent.add_attempts((*trial.earlier, trial.as_attempt()))
    spent.seconds = sum(end - start for start, end in merged_spans(spans))
    return spent


def merged_spans(spans: Iterable[Span]) -> list[Span]:
    """Spans of time, in order, those that touch made one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def unaccounted_limits(trial: Trial, model: str, budget: Budget) -> str:
    """The part of a budget that cannot be kept, since nobody knows what this trial of a model cost; mostly empty."""
    if not model or trial.outcome is Outcome.VOID:
        return ""
    if budget.usd is not None and trial.usage.usd is None:
        return f"nobody knows what {trial.agent} costs, so that no budget in usd can be kept; see --price"
    if budget.tokens is not None and trial.usage.tokens is None:
        return f"{trial.agent} does not report its tokens, so that no budget of tokens can be kept"
    return ""


def in_hours(seconds: float) -> str:
    """A duration as readable text: `45 s`, `12 min`, `2 h 30 min`, `3 d 4 h`."""
    for size, unit, smaller, least in ((86400, "d", "h", 3600), (3600, "h", "min", 60)):
        if seconds >= size:
            rest = round(seconds % size / least)
            return f"{seconds // size:.0f} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{seconds / 60:.0f} min" if seconds >= 100 else f"{seconds:.0f} s"
