"""How LiveCodeBench compares what a program printed with what it should print.

Line by line without the blanks around each, after those around the whole; a line may also be the same decimal numbers
in another spelling (`1.50` for `1.5`). Source: `lcb_runner/evaluation/testing_util.py`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from decimal import Decimal

_SHOWN = 120


def difference(printed: str, expected: str) -> str:
    """What is wrong with `printed`; empty if nothing is."""
    ours, theirs = _printed_lines(printed), _printed_lines(expected)
    if len(ours) != len(theirs):
        return f"{len(ours)} lines were printed, not {len(theirs)}"
    for number, (line, wanted) in enumerate(zip(ours, theirs, strict=True), 1):
        if line != wanted and not _same_numbers(line, wanted):
            return f"line {number} is {line[:_SHOWN]!r}, not {wanted[:_SHOWN]!r}"
    return ""


def _printed_lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n")]


def _same_numbers(line: str, wanted: str) -> bool:
    ours, theirs = _decimals(line), _decimals(wanted)
    return ours is not None and ours == theirs


def _decimals(line: str) -> list[Decimal] | None:
    from decimal import Decimal, InvalidOperation

    try:
        found = [Decimal(word) for word in line.split()]
        return None if any(map(Decimal.is_snan, found)) else found  # which no comparison survives
    except InvalidOperation:
        return None
