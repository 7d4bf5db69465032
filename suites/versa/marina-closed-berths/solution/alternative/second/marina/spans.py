"""Spans of nights: from the day of arrival until the day of departure, whose night is not part of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, order=True)
class Span:
    """The nights from `start` until just before `end`; at least one."""

    start: date
    end: date

    def __post_init__(self) -> None:
        if self.start >= self.end:
            raise ValueError(f"a span ends after it starts: {self.start} to {self.end}")

    @property
    def nights(self) -> int:
        """How many nights it has."""
        return (self.end - self.start).days

    def dates(self) -> Iterator[date]:
        """The day before each night, in order."""
        for number in range(self.nights):
            yield self.start + timedelta(days=number)

    def overlaps(self, other: Span) -> bool:
        """Whether they share a night."""
        return self.start < other.end and other.start < self.end

    def common(self, other: Span) -> Span | None:
        """The nights that both have, or None."""
        if not self.overlaps(other):
            return None
        return Span(max(self.start, other.start), min(self.end, other.end))


def one_night(day: date) -> Span:
    """The night after a day."""
    return Span(day, day + timedelta(days=1))


def month(year: int, number: int) -> Span:
    """The nights of a month."""
    end = date(year + 1, 1, 1) if number == 12 else date(year, number + 1, 1)
    return Span(date(year, number, 1), end)
