"""Boards as text.

One pad a line: `NAME NET X Y RADIUS`, separated by blanks. Lengths are whole nanometres. The net `-` means that the
pad is not connected. Empty lines and lines that start with `#` are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass

UNCONNECTED = "-"


class BoardError(ValueError):
    """Raised for a board that cannot be read; the message starts with the number of the line, from 1."""


@dataclass(frozen=True)
class Pad:
    """A round pad: its unique name, its net, centre and radius in nanometres."""

    name: str
    net: str
    x: int
    y: int
    radius: int

    def may_touch(self, other: Pad) -> bool:
        """Whether two pads belong to the same net; unconnected pads belong to none."""
        return self.net == other.net and self.net != UNCONNECTED

    def too_close(self, other: Pad, clearance: int) -> bool:
        """Whether the gap between the edges of two pads is less than the clearance."""
        least = self.radius + other.radius + clearance
        return (self.x - other.x) ** 2 + (self.y - other.y) ** 2 < least**2


def read_board(text: str) -> list[Pad]:
    """The pads of a board, in the order of their lines.

    Raises:
        BoardError: a line is malformed, a radius is negative or a name occurs twice.
    """
    pads: dict[str, Pad] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        pad = _pad(fields, number)
        if pad.name in pads:
            raise BoardError(f"{number}: there already is a pad {pad.name}")
        pads[pad.name] = pad
    return list(pads.values())


def _pad(fields: list[str], number: int) -> Pad:
    try:
        name, net, x, y, radius = fields
        pad = Pad(name, net, int(x), int(y), int(radius))
    except ValueError:
        raise BoardError(f"{number}: expected NAME NET X Y RADIUS, found {' '.join(fields)!r}") from None
    if pad.radius < 0:
        raise BoardError(f"{number}: the radius of {pad.name} is negative")
    return pad
