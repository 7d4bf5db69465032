"""Totals of a till roll."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from tillroll.lines import Line

SIGNS = {"sale": 1, "refund": -1, "deposit": 1}
"""How lines of a kind count."""


def amount(line: Line) -> int:
    """What a line is about, without discount and sign."""
    return line.quantity * line.cents


def _valid(lines: Iterable[Line]) -> Iterator[Line]:
    return (line for line in lines if not line.void)


def net(lines: Iterable[Line], discount: int = 0) -> int:
    """What all lines come to; a discount in percent, rounded half up, is taken off each but deposits."""

    def cost(line: Line) -> int:
        percent = 100 if line.kind == "deposit" else 100 - discount
        return (amount(line) * percent + 50) // 100

    return sum(SIGNS[line.kind] * cost(line) for line in _valid(lines))


def by_kind(lines: Iterable[Line]) -> dict[str, int]:
    """Cents of each kind, without discount and sign, in the order of their first lines."""
    found: dict[str, int] = {}
    for line in _valid(lines):
        found[line.kind] = found.get(line.kind, 0) + amount(line)
    return found


def pieces(lines: Iterable[Line]) -> int:
    """The number of pieces sold, less those that were taken back."""
    return sum(SIGNS[line.kind] * line.quantity for line in _valid(lines) if line.kind != "deposit")


def _points_by(factor: int) -> Callable[[int], int]:
    def points_for(cents: int) -> int:
        return cents // 100 * factor

    return points_for


def points(factors: Mapping[str, int]) -> dict[str, Callable[[int], int]]:
    """For each level, a function that turns cents into points: its factor for each whole euro."""
    return {level: _points_by(factor) for level, factor in factors.items()}
