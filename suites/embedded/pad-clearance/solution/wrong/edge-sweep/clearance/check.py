"""Finds the pads that lie too close to each other.

Goes over the pads from left to right by their left edges, and compares each one with those that have not ended yet.
"""

from __future__ import annotations

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
    found: list[tuple[str, str]] = []
    active: list[Pad] = []
    for pad in sorted(pads, key=lambda pad: pad.x - pad.radius):
        start = pad.x - pad.radius - clearance
        active = [other for other in active if other.x + other.radius > start]
        for other in active:
            if not pad.may_touch(other) and pad.too_close(other, clearance):
                found.append((min(pad.name, other.name), max(pad.name, other.name)))
        active.append(pad)
    return sorted(found)


def check_board(text: str, clearance: int) -> list[tuple[str, str]]:
    """Violations of a board that is given as text.

    Raises:
        BoardError: the text cannot be read.
        ValueError: the clearance is negative.
    """
    return violations(read_board(text), clearance)
