"""The accounts of owners. Entries are never changed; what was wrong is corrected by a further entry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from marina import money
from marina.spans import Span


PRICED = ("charge", "credit")
"""The kinds of entries that make up what a stay costs."""


@dataclass(frozen=True)
class Entry:
    """What an owner owes more (a charge, a fee) or less (a credit, a payment) since a day."""

    day: date
    owner: str
    stay: int
    kind: str
    cents: int


class Ledger:
    """Entries in the order in which they were written. Charges and fees are positive, credits and payments negative."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def write(self, day: date, owner: str, stay: int, kind: str, cents: int) -> None:
        """Adds an entry; one over nothing is left out."""
        if cents:
            self._entries.append(Entry(day, owner, stay, kind, cents))

    def price(self, stay: int) -> int:
        """What a stay costs by now: what was charged for it, less what was credited. Fees are no part of it."""
        return sum(entry.cents for entry in self._entries if entry.stay == stay and entry.kind in PRICED)

    def fees(self, span: Span) -> int:
        """The fees that were written on the days of a span."""
        return sum(entry.cents for entry in self._entries if entry.kind == "fee" and span.start <= entry.day < span.end)

    def balance(self, owner: str) -> int:
        """What an owner owes; negative if we owe."""
        return sum(entry.cents for entry in self._entries if entry.owner == owner)

    def statement(self, owner: str) -> list[str]:
        """The entries of an owner, as lines "day stay kind amount balance"."""
        lines, balance = [], 0
        for entry in self._entries:
            if entry.owner == owner:
                balance += entry.cents
                amounts = f"{money.text(entry.cents)} {money.text(balance)}"
                lines.append(f"{entry.day} {entry.stay} {entry.kind} {amounts}")
        return lines
