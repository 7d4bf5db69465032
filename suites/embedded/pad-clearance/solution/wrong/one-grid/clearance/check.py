"""Finds the pads that lie too close to each other.

Pads are filed in a square grid, so that each one is compared with those of the nine cells around it only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from clearance.board import Pad, read_board


def violations(pads: Sequence[Pad], clearance: int) -> list[tuple[str, str]]:
    """Names of the pairs of pads whose gap is less than the clearance, although they may not touch.

    Pads of one net may touch; a pad that is not connected may touch no other, connected or not. A gap as wide as the
    clearance is wide enough, and with a clearance of 0 only pads that overlap are too close.

    Returns:
        Each pair once, the lesser name first; the pairs in ascending order.

    Raises:
        ValueError: the clearance is negative.
    """
    if clearance < 0:
        raise ValueError(f"the clearance must not be negative: {clearance}")
    if not pads:
        return []
    size = 2 * max(pad.radius for pad in pads) + clearance or 1
    grid: dict[tuple[int, int], list[Pad]] = defaultdict(list)
    found: list[tuple[str, str]] = []
    for pad in pads:
        column, row = pad.x // size, pad.y // size
        for x in (column - 1, column, column + 1):
            for y in (row - 1, row, row + 1):
                for other in grid.get((x, y), ()):
                    if not pad.may_touch(other) and pad.too_close(other, clearance):
                        found.append((min(pad.name, other.name), max(pad.name, other.name)))
        grid[column, row].append(pad)
    return sorted(found)


def check_board(text: str, clearance: int) -> list[tuple[str, str]]:
    """Violations of a board that is given as text.

    Raises:
        BoardError: the text cannot be read.
        ValueError: the clearance is negative.
    """
    return violations(read_board(text), clearance)
