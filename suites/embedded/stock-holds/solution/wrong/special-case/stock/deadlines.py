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

    def take_due(self, now: int) -> list[Ticket]:
        """Remove and return the held tickets whose time is over, in the order of their deadlines."""
        due = []
        while self._heap and self._heap[0][0] < now:
            _deadline, _number, ticket = heapq.heappop(self._heap)
            if ticket.state == "held":
                due.append(ticket)
        return due
