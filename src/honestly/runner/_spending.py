"""What a whole study may spend, and what it has spent: trials, hours, tokens, US dollars, over all commands.

Everything is read from the study's own trials, attempts that others took the place of included, so that a run that was
killed has forgotten nothing. Hours are those in which at least one trial was running: the pause between two commands
costs nothing, and two trials at a time cost no more than one. A trial that reports neither tokens nor a price counts
as none of either.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from honestly.records import Outcome, Trial, Usage
from honestly.seams import TIME_AND_MONEY, read_amounts

_UNITS = {**TIME_AND_MONEY, "trial": ("trials", 1.0)}
_EXAMPLE = "200 trials, 2h, 5M tokens, 20 usd"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyBudget:
    """The most that a study may spend; None is no limit."""

    trials: int | None = None
    """Trials in the study; another attempt at one is none more."""
    seconds: float | None = None
    tokens: int | None = None
    """Read and written."""
    usd: float | None = None


def read_study_budget(text: str) -> StudyBudget:
    """A budget as people write it: `200 trials, 2h, 5M tokens, 20 usd`.

    Raises:
        BudgetError: a part of it is not understood.
    """
    return StudyBudget(**read_amounts(text, _UNITS, {"trials", "tokens"}, _EXAMPLE))  # type: ignore[arg-type]


@dataclass(slots=True)
class StudySpent:
    """What a study has spent."""

    trials: int = 0
    seconds: float = 0.0
    tokens: int = 0
    usd: float = 0.0

    def reached(self, budget: StudyBudget) -> str:
        """Which limit of what trials cost is reached, in words; empty where none is."""
        if budget.usd is not None and self.usd >= budget.usd:
            return f"{budget.usd:g} usd are spent ({self.usd:.2f})"
        if budget.tokens is not None and self.tokens >= budget.tokens:
            return f"{budget.tokens:,} tokens are spent ({self.tokens:,})"
        if budget.seconds is not None and self.seconds >= budget.seconds:
            return f"{in_hours(budget.seconds)} are over"
        return ""

    def take(self, usage: Usage) -> None:
        """Adds what an attempt consumed."""
        self.usd += usage.usd or 0.0
        self.tokens += tokens_of(usage) or 0


def spent_on(trials: Iterable[Trial]) -> StudySpent:
    """What trials and their earlier attempts have cost."""
    spent = StudySpent()
    runs: list[tuple[float, float]] = []
    for trial in trials:
        spent.trials += 1
        for each in (*trial.earlier, trial.as_attempt()):
            spent.take(each.usage)
            if each.started_at and each.seconds:
                with suppress(ValueError, OverflowError):  # of an import, or a study that somebody made by hand
                    start = datetime.fromisoformat(each.started_at).timestamp()
                    runs.append((start, start + each.seconds))
    until = float("-inf")
    for start, end in sorted(runs):
        spent.seconds += max(0.0, end - max(start, until))
        until = max(until, end)
    return spent


def tokens_of(usage: Usage) -> int | None:
    """Tokens read and written; None where neither was reported."""
    if usage.input_tokens is None and usage.output_tokens is None:
        return None
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)


def unaccounted(trial: Trial, model: str, budget: StudyBudget) -> str:
    """What of a budget cannot be kept, since nobody knows what this trial of a model cost; mostly empty."""
    if not model or trial.outcome is Outcome.VOID:
        return ""
    if budget.usd is not None and trial.usage.usd is None:
        return f"nobody knows what {trial.agent} costs, so that no budget in usd can be kept; see --price"
    if budget.tokens is not None and tokens_of(trial.usage) is None:
        return f"{trial.agent} does not report its tokens, so that no budget of tokens can be kept"
    return ""


def in_hours(seconds: float) -> str:
    """A time as people say it: `45 s`, `12 min`, `2 h 30 min`, `3 d 4 h`."""
    for size, unit, smaller, least in ((86400, "d", "h", 3600), (3600, "h", "min", 60)):
        if seconds >= size:
            rest = round(seconds % size / least)
            return f"{seconds // size:.0f} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{seconds / 60:.0f} min" if seconds >= 100 else f"{seconds:.0f} s"
