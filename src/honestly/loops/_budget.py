"""What a loop may spend: attempts, evaluations, wall time, CPU time of evaluations, tokens, money; what it has spent.

Time is that of attempts and evaluations, not of the clock on the wall between two commands. An evaluation that was
killed is charged for the time since it began, its limit at most.
"""

import math
import re
from dataclasses import dataclass, fields

from honestly.errors import BudgetError
from honestly.records import Record

_UNITS = {
    "s": ("seconds", 1.0), "second": ("seconds", 1.0), "min": ("seconds", 60.0), "m": ("seconds", 60.0),
    "minute": ("seconds", 60.0), "h": ("seconds", 3600.0), "hour": ("seconds", 3600.0), "usd": ("usd", 1.0),
    "cpu-s": ("cpu", 1.0), "cpu-min": ("cpu", 60.0), "cpu-h": ("cpu", 3600.0),
    "attempt": ("attempts", 1.0), "evaluation": ("evaluations", 1.0), "token": ("tokens", 1.0),
}  # fmt: skip
_PART = re.compile(r"\s*([\d.]+)\s*([kM]?)\s*([A-Za-z-]+)\s*")
_MANY = {"": 1, "k": 1000, "M": 1_000_000}


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
    found: dict[str, float] = {}
    for part in filter(str.strip, text.split(",")):
        match = _PART.fullmatch(part)
        unit = match[3] if match else ""
        known = _UNITS.get(unit) or _UNITS.get(unit.lower().removesuffix("s"))
        try:
            number = float(match[1]) * _MANY[match[2]] if match else math.nan
        except ValueError:
            number = math.nan
        if known is None or not 0 < number < math.inf:
            raise BudgetError(
                f"budget {part.strip()!r} is not understood; expected numbers of h, min, s, cpu-h, usd, "
                'attempts, evaluations, tokens: "4h, 20 usd, 50 attempts"'
            )
        name, scale = known
        found[name] = found.get(name, 0.0) + number * scale
    if not found:
        raise BudgetError('a loop needs a budget, or it never ends: --budget "4h, 20 usd, 50 attempts"')
    whole = {"attempts", "evaluations", "tokens"}
    counted = {name: max(1, round(value)) if name in whole else value for name, value in found.items()}
    return LoopBudget(**counted)  # type: ignore[arg-type]
