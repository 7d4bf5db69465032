"""Reports for the office."""

from __future__ import annotations

from datetime import date

from marina import money
from marina.desk import Desk
from marina.spans import Span, month
from marina.stays import Stay


def arrivals(desk: Desk, day: date) -> list[str]:
    """Who arrives on a day, as "berth boat nights", by berth."""
    stays = [stay for stay in desk.register.all() if stay.span.start == day]
    return sorted(f"{stay.code} {stay.boat.name} {stay.span.nights}" for stay in stays)


def occupancy(desk: Desk, year: int, number: int) -> dict[str, int | None]:
    """Percent of a month's open nights in which a berth is taken, by berth; None where it is closed all the time.

    A night in which a berth is closed is neither open nor taken, whoever lies there.
    """
    nights, found = month(year, number), {}
    for code in desk.harbour.codes():
        days = [day for day in nights.dates() if not desk.harbour.is_closed(code, Span(day, _next(day)))]
        taken = sum(not desk.register.is_free(code, Span(day, _next(day))) for day in days)
        found[code] = money.part(100, taken, len(days)) if days else None
    return found


def revenue(desk: Desk, year: int, number: int) -> int:
    """What a month brings in, in cents: nights of stays that are not cancelled, and fees."""
    nights = month(year, number)
    stays = desk.register.all()
    shared = [(stay, stay.span.common(nights)) for stay in stays]
    earned = sum(
        money.part(desk.ledger.price(stay.number), common.nights, stay.span.nights) for stay, common in shared if common
    )
    return earned + desk.ledger.fees(nights)


def _earned(desk: Desk, stay: Stay, end: date) -> int:
    """What was earned of a stay before a day."""
    if end <= stay.span.start:
        return 0
    nights = Span(stay.span.start, min(stay.span.end, end)).nights
    return money.part(desk.ledger.price(stay.number), nights, stay.span.nights)


def _next(day: date) -> date:
    return date.fromordinal(day.toordinal() + 1)
