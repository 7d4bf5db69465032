"""What formats made of lines share."""

from collections.abc import Callable, Iterable

from ledger.booking import Booking


def cells(booking: Booking) -> tuple[str, str, str, str]:
    """A booking's day, account, amount and note as texts; an amount has two decimals."""
    units, rest = divmod(abs(booking.cents), 100)
    return str(booking.day), booking.account, f"{'-' * (booking.cents < 0)}{units}.{rest:02d}", booking.note


def document(head: str, bookings: Iterable[Booking], line: Callable[[tuple[str, str, str, str]], str]) -> str:
    """A first line, and one for each booking, made of its cells; each has its end."""
    return "".join(f"{text}\n" for text in (head, *(line(cells(booking)) for booking in bookings)))
