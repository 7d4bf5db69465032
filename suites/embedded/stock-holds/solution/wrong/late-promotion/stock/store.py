"""The store: what customers and the warehouse call."""

from stock.deadlines import Deadlines
from stock.errors import StateError
from stock.tickets import Shelf, Ticket


class Store:
    """Items, holds and lines. Every method raises ValueError when `now` is before that of an earlier call."""

    def __init__(self, hold_seconds: int) -> None:
        if hold_seconds < 1:
            raise ValueError("a hold lasts at least one second")
        self._hold_seconds = hold_seconds
        self._now = 0
        self._shelves: dict[str, Shelf] = {}
        self._tickets: list[Ticket] = []
        self._deadlines = Deadlines()
        self._journal: list[tuple[int, int, str]] = []

    def receive(self, item: str, units: int, now: int) -> None:
        """Add units to the stock; ValueError unless there is at least one."""
        _check_units(units)
        self._advance(now)
        self._shelf(item).on_hand += units
        self._move_lines({item}, now)

    def request(self, item: str, units: int, customer: str, now: int) -> int:
        """Ask for units and get the number of the ticket; ValueError unless at least one unit is asked for."""
        _check_units(units)
        self._advance(now)
        ticket = Ticket(len(self._tickets) + 1, item, units, customer)
        self._tickets.append(ticket)
        shelf = self._shelf(item)
        if not shelf.line and shelf.free >= units:
            self._hold(ticket, now)
        else:
            shelf.line.append(ticket)
            self._journal.append((now, ticket.number, "waiting"))
        return ticket.number

    def renew(self, number: int, now: int) -> None:
        """Give a hold its full time again; KeyError for an unknown ticket."""
        ticket = self._ticket(number, now, "held")
        ticket.deadline = now + self._hold_seconds
        self._deadlines.add(ticket)

    def confirm(self, number: int, now: int) -> None:
        """Sell the units of a hold; KeyError for an unknown ticket."""
        ticket = self._ticket(number, now, "held")
        self._leave(ticket, "sold", now)
        self._shelf(ticket.item).on_hand -= ticket.units

    def cancel(self, number: int, now: int) -> None:
        """Give up a hold or a place in the line; KeyError for an unknown ticket."""
        ticket = self._ticket(number, now, "held", "waiting")
        if ticket.state == "waiting":
            self._shelf(ticket.item).line.remove(ticket)
            ticket.state = "cancelled"
            self._journal.append((now, number, "cancelled"))
        else:
            self._leave(ticket, "cancelled", now)
        self._move_lines({ticket.item}, now)

    def state(self, number: int, now: int) -> str:
        """The state of a ticket; KeyError for an unknown one."""
        return self._ticket(number, now).state

    def free(self, item: str, now: int) -> int:
        """How many units are free."""
        self._advance(now)
        return self._shelf(item).free

    def line(self, item: str, now: int) -> list[int]:
        """The numbers of the waiting tickets, first in line first."""
        self._advance(now)
        return [ticket.number for ticket in self._shelf(item).line]

    def journal(self, now: int) -> list[tuple[int, int, str]]:
        """All changes of state until now."""
        self._advance(now)
        return list(self._journal)

    def _shelf(self, item: str) -> Shelf:
        return self._shelves.setdefault(item, Shelf())

    def _ticket(self, number: int, now: int, *states: str) -> Ticket:
        self._advance(now)
        if not 1 <= number <= len(self._tickets):
            raise KeyError(number)
        ticket = self._tickets[number - 1]
        if states and ticket.state not in states:
            raise StateError(f"ticket {number} is {ticket.state}")
        return ticket

    def _advance(self, now: int) -> None:
        if now < self._now:
            raise ValueError(f"time runs backwards, from {self._now} to {now}")
        self._now = now
        expired = self._deadlines.take_due(now)
        for ticket in expired:
            self._leave(ticket, "expired", ticket.deadline)
        self._move_lines({ticket.item for ticket in expired}, now)

    def _hold(self, ticket: Ticket, moment: int) -> None:
        ticket.state = "held"
        ticket.deadline = moment + self._hold_seconds
        self._shelf(ticket.item).held += ticket.units
        self._deadlines.add(ticket)
        self._journal.append((moment, ticket.number, "held"))

    def _leave(self, ticket: Ticket, state: str, moment: int) -> None:
        self._shelf(ticket.item).held -= ticket.units
        ticket.state = state
        self._journal.append((moment, ticket.number, state))

    def _move_lines(self, items: set[str], moment: int) -> None:
        lucky: list[Ticket] = []
        for shelf in map(self._shelf, items):
            free = shelf.free
            while shelf.line and shelf.line[0].units <= free:
                free -= shelf.line[0].units
                lucky.append(shelf.line.popleft())
        for ticket in sorted(lucky, key=lambda ticket: ticket.number):
            self._hold(ticket, moment)


def _check_units(units: int) -> None:
    if units < 1:
        raise ValueError(f"at least one unit is needed, not {units}")
