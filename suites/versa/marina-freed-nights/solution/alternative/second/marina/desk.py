"""The front desk: what may be done, and what follows from it for berths, accounts and those who wait."""

from __future__ import annotations

from datetime import date

from marina import money
from marina.berths import Boat, Harbour
from marina.ledger import Ledger
from marina.spans import Span
from marina.stays import Register, Stay
from marina.tariff import Tariff
from marina.waiting import WaitingList

FEES = ((14, 0), (2, 30))
"""Who cancels at least so many days before arrival pays so much percent of the price; later, the whole of it."""


class NoBerth(RuntimeError):
    """Raised when no fitting berth is free."""


class Desk:
    """All that a front desk does. Days are given, never taken from the clock."""

    def __init__(self, harbour: Harbour, tariff: Tariff) -> None:
        self.harbour = harbour
        self.tariff = tariff
        self.register = Register()
        self.ledger = Ledger()
        self.waiting = WaitingList()

    def reserve(self, day: date, boat: Boat, span: Span) -> int:
        """Books the best free berth and gives the number of the stay. NoBerth if there is none."""
        code = self._berth(boat, span)
        if code is None:
            raise NoBerth(f"nothing is free for {boat.name}")
        stay = self.register.add(boat, code, span)
        self.ledger.write(day, boat.owner, stay.number, "charge", self.tariff.price(span, boat.length))
        return stay.number

    def wait(self, boat: Boat, span: Span) -> None:
        """Puts a boat on the waiting list."""
        self.waiting.join(boat, span)

    def pay(self, day: date, number: int, cents: int) -> None:
        """Notes a payment for a stay."""
        self.ledger.write(day, self.register.get(number).boat.owner, number, "payment", -cents)

    def change(self, day: date, number: int, span: Span) -> None:
        """Gives a stay other nights: at its own berth if that is possible, else at the best free one.

        NoBerth if there is none, and ValueError if the stay is cancelled; nothing is changed then.
        """
        stay = self._active(number)
        code = self._berth(stay.boat, span, stay)
        if code is None:
            raise NoBerth(f"nothing is free for {stay.boat.name}")
        self.register.move(number, code, span)
        more = self.tariff.price(span, stay.boat.length) - self.ledger.price(number)
        self.ledger.write(day, stay.boat.owner, number, "charge" if more > 0 else "credit", more)
        self._serve(day)

    def cancel(self, day: date, number: int) -> None:
        """Cancels a stay: its price is credited, but for the fee. ValueError if it is cancelled already."""
        stay = self._active(number)
        price = self.ledger.price(number)
        before = (stay.span.start - day).days
        rate = next((rate for days, rate in FEES if before >= days), 100)
        self.register.cancel(number)
        self.ledger.write(day, stay.boat.owner, number, "credit", -price)
        self.ledger.write(day, stay.boat.owner, number, "fee", money.percent(price, rate))
        self._serve(day)

    def _active(self, number: int) -> Stay:
        stay = self.register.get(number)
        if stay.cancelled:
            raise ValueError(f"stay {number} is cancelled")
        return stay

    def _berth(self, boat: Boat, span: Span, stay: Stay | None = None) -> str | None:
        """The best free berth: that of the stay, if one is given, then the shortest."""
        codes = self.harbour.fitting(boat)
        if stay is not None:
            codes.sort(key=lambda code: code != stay.code)
        but = stay.number if stay is not None else 0
        free = (code for code in codes if not self.harbour.is_closed(code, span))
        return next((code for code in free if self.register.is_free(code, span, but)), None)

    def _serve(self, day: date) -> None:
        def book(boat: Boat, span: Span) -> bool:
            try:
                self.reserve(day, boat, span)
            except NoBerth:
                return False
            return True

        self.waiting.serve(book)
