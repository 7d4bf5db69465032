"""What a loop may spend: attempts, evaluations, wall time, CPU time of evaluations, tokens, money; what it has spent.

Time is that of attempts and evaluations, not of the clock on the wall between two commands. An evaluation that was
killed is charged for the time since it began, its limit at most.
"""

from dataclasses import dataclass, fields

from honestly.errors import BudgetError
from honestly.records import Record
from honestly.seams import TIME_AND_MONEY, read_amounts

_UNITS = {
    **TIME_AND_MONEY,
    "cpu-s": ("cpu", 1.0), "cpu-min": ("cpu", 60.0), "cpu-h": ("cpu", 3600.0),
    "attempt": ("attempts", 1.0), "evaluation": ("evaluations", 1.0),
}  # fmt: skip


class LoopBudget(Record, frozen=True, kw_only=True):
    """The most that a loop may spend; None is no limit."""

    attempts: int | None = None
    evaluations: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    usd: float | None = None
    cpu: float | None = None

    def part(self, share: float) -> "LoopBudget":
        """A share of the time, tokens, money and evaluations; attempts are not shared."""
        return LoopBudget(
            attempts=self.attempts,
            evaluations=None if self.evaluations is None else int(self.evaluations * share),
            seconds=None if self.seconds is None else self.seconds * share,
            tokens=None if self.tokens is None else int(self.tokens * share),
            usd=None if self.usd is None else self.usd * share,
            cpu=None if self.cpu is None else self.cpu * share,
        )

    def reached(self, spent: "Spent") -> str:
        """The name of the first limit that is reached; empty where there is none."""
        for name in self.__struct_fields__:
            most = getattr(self, name)
            if most is not None and getattr(spent, name) >= most:
                return name
        return ""


@dataclass(slots=True)
class Spent:
    """What was spent."""

    attempts: int = 0
    evaluations: int = 0
    seconds: float = 0.0
    tokens: int = 0
    usd: float = 0.0
    cpu: float = 0.0
    unpriced: int = 0
    """Attempts whose cost in dollars nobody knows."""

    def plus(self, other: "Spent") -> "Spent":
        """The sum of both."""
        return Spent(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


def read_budget(text: str) -> LoopBudget:
    """A budget as people write it: `4h, 20 usd, 50 attempts, 2M tokens`.

    Raises:
        BudgetError: a part of it is not understood.
    """
    if not text.strip(", "):
        raise BudgetError('a loop needs a budget, or it never ends: --budget "4h, 20 usd, 50 attempts"')
    found = read_amounts(text, _UNITS, {"attempts", "evaluations", "tokens"}, "4h, 20 usd, 50 attempts")
    return LoopBudget(**found)  # type: ignore[arg-type]
