"""Stamps that order what devices do."""

from typing import NamedTuple


class Stamp(NamedTuple):
    """When something was done: a counter, and the device that did it. Compared in this order."""

    counter: int
    device: str


class Clock:
    """The counter of one device: every act gets a greater one, and what was seen of others is behind it."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.counter = 0

    def next(self) -> Stamp:
        """A stamp for something done now."""
        self.counter += 1
        return Stamp(self.counter, self.device)

    def saw(self, stamp: Stamp) -> None:
        """Takes note of somebody's stamp."""
        self.counter = max(self.counter, stamp.counter)
