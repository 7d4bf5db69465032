"""Tickets, and the stock and line of one item."""

from collections import deque
from dataclasses import dataclass, field


@dataclass
class Ticket:
    """The request of one customer."""

    number: int
    item: str
    units: int
    customer: str
    state: str = "waiting"
    deadline: int = 0
    """When the hold ends; only of a held ticket."""


@dataclass
class Shelf:
    """What is known about one item."""

    on_hand: int = 0
    held: int = 0
    line: deque[Ticket] = field(default_factory=deque)

    @property
    def free(self) -> int:
        """Units in stock that nobody holds."""
        return self.on_hand - self.held
