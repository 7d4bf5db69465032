"""Reports for the office."""

from __future__ import annotations

from datetime import date

from marina import money
from marina.desk import Desk
from marina.spans import Span, month


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
    """What a month brings in, in cents: its nights of stays that are not cancelled, and the fees written in it.

    A stay's price is that of its account. What is earned of it is rounded up to each day, never night by night, so that
    the months of a stay come to its price.
    """
    nights, prices = month(year, number), desk.ledger.prices()
    cents = desk.ledger.fees(nights)
    for stay in desk.register.all():
        before, until = (
            money.part(prices.get(stay.number, 0), _nights_before(stay.span, day), stay.span.nights)
            for day in (nights.start, nights.end)
        )
        cents += until - before
    return cents


def _nights_before(span: Span, day: date) -> int:
    """How many nights of a span are over on a day."""
    return min(max((day - span.start).days, 0), span.nights)


def _next(day: date) -> date:
    return date.fromordinal(day.toordinal() + 1)
