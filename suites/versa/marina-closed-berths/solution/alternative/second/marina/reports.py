"""Reports for the office."""

from __future__ import annotations

from datetime import date

from marina import money
from marina.desk import Desk
from marina.spans import Span, month, one_night
from marina.stays import Stay


def arrivals(desk: Desk, day: date) -> list[str]:
    """Who arrives on a day, as "berth boat nights", by berth."""
    stays = [stay for stay in desk.register.all() if stay.span.start == day]
    return sorted(f"{stay.code} {stay.boat.name} {stay.span.nights}" for stay in stays)


def occupancy(desk: Desk, year: int, number: int) -> dict[str, int | None]:
    """Percent of a month's open nights in which a berth is taken, by berth; None where no night is open.

    A night in which a berth is closed does not count, whoever lies there.
    """
    nights = [one_night(day) for day in month(year, number).dates()]
    found: dict[str, int | None] = {}
    for code in desk.harbour.codes():
        taken = [not desk.register.is_free(code, night) for night in nights if not desk.harbour.is_closed(code, night)]
        found[code] = money.part(100, sum(taken), len(taken)) if taken else None
    return found


def revenue(desk: Desk, year: int, number: int) -> int:
    """What a month brings in, in cents: nights of stays that are not cancelled, and fees."""
    nights = month(year, number)
    stays = desk.register.all()
    earned = sum(_earned(desk, stay, nights.end) - _earned(desk, stay, nights.start) for stay in stays)
    return earned + desk.ledger.fees(nights)


def _earned(desk: Desk, stay: Stay, end: date) -> int:
    """What was earned of a stay before a day."""
    if end <= stay.span.start:
        return 0
    nights = Span(stay.span.start, min(stay.span.end, end)).nights
    return money.part(desk.ledger.price(stay.number), nights, stay.span.nights)
