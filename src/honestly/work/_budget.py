"""What may be spent, of anything, and how people write it: `4h, $20, 50 attempts, 2M tokens`.

`k` and `M` before a unit are a thousand and a million; an amount that is named twice is added up. Units may stand in
the plural and in capitals. Whoever reads a budget says which amounts it can keep.
"""

import math
import re
from collections.abc import Collection, Mapping
from typing import Protocol

from honestly.errors import BudgetError
from honestly.records import Record

_UNITS = {
    "s": ("seconds", 1.0), "second": ("seconds", 1.0), "min": ("seconds", 60.0), "m": ("seconds", 60.0),
    "minute": ("seconds", 60.0), "h": ("seconds", 3600.0), "hour": ("seconds", 3600.0), "usd": ("usd", 1.0),
    "token": ("tokens", 1.0), "cpu-s": ("cpu", 1.0), "cpu-min": ("cpu", 60.0), "cpu-h": ("cpu", 3600.0),
    "attempt": ("attempts", 1.0), "evaluation": ("evaluations", 1.0), "trial": ("trials", 1.0), "call": ("calls", 1.0),
}  # fmt: skip
"""The name of the amount, and how much of it one is."""
_COUNTS = {"attempts", "evaluations", "trials", "calls", "tokens"}
_DOLLARS = re.compile(r"\$\s*([\d.]+[kM]?)")
_PART = re.compile(r"\s*([\d.]+)\s*([kM]?)\s*([A-Za-z-]+)\s*")
_MANY = {"": 1, "k": 1000, "M": 1_000_000}


class Spendable(Protocol):
    """The spending so far."""

    def of(self, name: str) -> float:
        """What counts against the limit of this name."""


class Budget(Record, frozen=True, kw_only=True):
    """The most that may be spent; None is no limit."""

    attempts: int | None = None
    evaluations: int | None = None
    seconds: float | None = None
    """Wall time."""
    tokens: int | None = None
    """Read and written together, cached ones included."""
    usd: float | None = None
    cpu: float | None = None
    """Seconds of CPU time."""
    trials: int | None = None
    calls: int | None = None
    """Of a model."""

    def part(self, share: float) -> "Budget":
        """A share of the time, tokens and money; attempts and evaluations are not shared."""
        return Budget(
            attempts=self.attempts,
            evaluations=self.evaluations,
            seconds=None if self.seconds is None else self.seconds * share,
            tokens=None if self.tokens is None else int(self.tokens * share),
            usd=None if self.usd is None else self.usd * share,
            cpu=None if self.cpu is None else self.cpu * share,
        )

    def plus(self, more: "Budget", spent: "Spendable") -> "Budget":
        """This budget and more, on top of what it allows; or of what is spent, where that is more.

        Counts of attempts and evaluations that are used up are limits no more, unless `more` names them.
        """
        limits = {name: getattr(self, name) for name in self.__struct_fields__}
        for name in self.__struct_fields__:
            if (added := getattr(more, name)) is not None:
                limits[name] = max(limits[name] or 0, type(added)(spent.of(name))) + added
            elif name in {"attempts", "evaluations"} and spent.of(name) >= (limits[name] or 0):
                limits[name] = None
        return Budget(**limits)

    def reached(self, spent: "Spendable", *, attempts: bool = True, work: bool = True) -> str:
        """The name of the first limit that is reached; empty where there is none.

        Args:
            spent: what is spent.
            attempts: whether the number of attempts counts.
            work: whether tokens and money count, of which an evaluation by a command needs none.
        """
        for name in self.__struct_fields__:
            counts = attempts if name == "attempts" else work or name not in {"tokens", "usd"}
            if counts and (most := getattr(self, name)) is not None and spent.of(name) >= most:
                return name
        return ""


def read_budget(text: str, amounts: Collection[str], example: str) -> Budget:
    """A budget as people write it.

    Args:
        text: What somebody typed; amounts stand between commas.
        amounts: Names of the fields of `Budget` that can be kept here.
        example: What an error shows.

    Raises:
        BudgetError: A part of it is not understood, or there is none.
    """
    units = {unit: each for unit, each in _UNITS.items() if each[0] in amounts}
    return Budget(**read_amounts(text, units, _COUNTS, example))  # type: ignore[arg-type]


def read_amounts(
    text: str, units: Mapping[str, tuple[str, float]], whole: Collection[str], example: str, kind: str = "budget"
) -> dict[str, int | float]:
    """The amounts in a text, by name.

    Args:
        text: What somebody typed; amounts stand between commas.
        units: By the unit's name in the singular: the name of the amount, and how much of it one is.
        whole: Names of amounts that are counts: 1 at least.
        example: What an error shows.
        kind: What it calls the text.

    Raises:
        BudgetError: A part of it is not understood, or there is none.
    """
    found: dict[str, float] = {}
    for part in filter(str.strip, text.split(",")):
        match = _PART.fullmatch(_DOLLARS.sub(r"\1 usd", part))
        number, many, unit = match.groups() if match else ("", "", "")
        known = units.get(unit) or units.get(unit.lower().removesuffix("s"))
        try:
            value = float(number) * _MANY[many]
        except ValueError:
            value = math.nan
        if re.match(r"\s*-[\d.]", part) or (known and value == 0):
            raise BudgetError(f'{kind} {part.strip()!r} is not above 0; expected such as "{example}"')
        if known is None or not 0 < value < math.inf:
            names = ", ".join(sorted(units, key=len))
            raise BudgetError(
                f'{kind} {part.strip()!r} is not understood; expected numbers of {names}, such as "{example}"'
            )
        name, scale = known
        found[name] = found.get(name, 0.0) + value * scale
    if not found:
        raise BudgetError(f'the {kind} is empty; expected numbers and units: "{example}"')
    return {name: max(1, round(value)) if name in whole else value for name, value in found.items()}
