"""Which hold ends when."""

import heapq

from stock.tickets import Ticket


class Deadlines:
    """The deadlines of all holds, earliest first."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Ticket]] = []

    def add(self, ticket: Ticket) -> None:
        """Note the present deadline of a held ticket."""
        heapq.heappush(self._heap, (ticket.deadline, ticket.number, ticket))

    def take_next(self, now: int) -> tuple[int, list[Ticket]] | None:
        """Remove the holds that end at the earliest deadline until `now`, and return that deadline and the holds.

        The holds are in the order of their numbers. None if no hold ends until `now`.
        """
        moment: int | None = None
        due: list[Ticket] = []
        while self._heap and self._heap[0][0] <= (now if moment is None else moment):
            deadline, _number, ticket = heapq.heappop(self._heap)
            # A hold that was renewed or has left keeps its old entries in the heap.
            if ticket.state == "held" and ticket.deadline == deadline and ticket not in due:
                moment = deadline
                due.append(ticket)
        return None if moment is None else (moment, due)
