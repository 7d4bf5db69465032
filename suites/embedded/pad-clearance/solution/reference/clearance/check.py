"""Finds the pads that lie too close to each other.

Each pad is filed in a square grid whose cells are as wide as the farthest that it can reach to a pad that is no larger.
There is one grid for each power of two, so that a mounting hole does not coarsen the grid of the others. A pad looks
into the grids of its own and all larger sizes, at nine cells each; within a cell, pads lie by net, and a net that it
may touch is skipped as a whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from clearance.board import UNCONNECTED, Pad, read_board

_Cell = dict[str, list[Pad]]
_Grid = dict[tuple[int, int], _Cell]


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
    grids: dict[int, _Grid] = defaultdict(dict)
    for pad in pads:
        level = _level(pad, clearance)
        cell = grids[level].setdefault((pad.x >> level, pad.y >> level), {})
        cell.setdefault(pad.net, []).append(pad)
    found: list[tuple[str, str]] = []
    for pad in pads:
        own = _level(pad, clearance)
        for level, grid in grids.items():
            if level < own:
                continue
            for other in _candidates(pad, grid, level):
                # Two pads of the same size class find each other twice.
                if (level > own or pad.name < other.name) and pad.too_close(other, clearance):
                    found.append((min(pad.name, other.name), max(pad.name, other.name)))
    return sorted(found)


def _level(pad: Pad, clearance: int) -> int:
    """Exponent of the least power of two that is more than the pad's reach to one of its own size."""
    return (2 * pad.radius + clearance).bit_length()


def _candidates(pad: Pad, grid: _Grid, level: int) -> Iterator[Pad]:
    """Pads of a grid near a pad that it may not touch, itself included where it is not connected."""
    column, row = pad.x >> level, pad.y >> level
    for x in (column - 1, column, column + 1):
        for y in (row - 1, row, row + 1):
            cell = grid.get((x, y))
            if cell is None:
                continue
            for net, others in cell.items():
                if net != pad.net or net == UNCONNECTED:
                    yield from others


def check_board(text: str, clearance: int) -> list[tuple[str, str]]:
    """Violations of a board that is given as text.

    Raises:
        BoardError: the text cannot be read.
        ValueError: the clearance is negative.
    """
    return violations(read_board(text), clearance)
