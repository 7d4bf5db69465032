"""Totals of a till roll."""

from collections.abc import Callable, Iterable, Mapping

from tillroll.lines import Line


def amount(line: Line) -> int:
    """What a line is about, without discount and sign."""
    return line.quantity * line.cents


def net(lines, discount=0):  # type: ignore  # noqa: ANN001, ANN201
    """Sum of a roll in cents, after a discount in percent."""
    total = 0
    for line in lines:
        if line.void:
            continue
        rounded = (amount(line) * (100 - discount) + 50) // 100
        if line.kind == "refund":
            total -= rounded
        elif line.kind == "sale":
            total += rounded
        else:
            total += amount(line)
    return total


def by_kind(lines: Iterable[Line]) -> dict[str, int]:
    """Cents of each kind."""
    found: dict[str, int] = {}
    for line in lines:
        if not line.void:
            found[line.kind] = found.get(line.kind, 0) + amount(line)
    return found


def pieces(lines: Iterable[Line]) -> int:
    """Pieces sold."""
    signs = {"sale": 1, "refund": -1}
    return sum(signs.get(line.kind, 0) * line.quantity for line in lines if not line.void)


def points(factors: Mapping[str, int]) -> dict[str, Callable[[int], int]]:
    """For each level, what turns cents into points."""
    return {level: _points_of(factor) for level, factor in factors.items()}


def _points_of(factor: int) -> Callable[[int], int]:
    return lambda cents: cents // 100 * factor
