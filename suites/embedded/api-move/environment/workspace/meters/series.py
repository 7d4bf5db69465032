"""Series of readings."""

from decimal import Decimal, InvalidOperation

_FACTORS = {"Wh": 1, "kWh": 1000}


class ParseError(Exception):
    """Raised for a text that is no series; `line` counts from 0."""

    def __init__(self, line, reason):
        super().__init__(f"line {line}: {reason}")
        self.line = line


class EmptySeries(Exception):
    """Raised for a total of nothing."""


class Series:
    """Readings from a start on (seconds since midnight): pairs of seconds since the start and Wh (or None)."""

    def __init__(self, start, pairs):
        self.start = start
        self._pairs = tuple(pairs)

    def __iter__(self):
        """Newest first."""
        return iter(self._pairs[::-1])

    def __len__(self):
        return len(self._pairs)

    def oldest_first(self):
        """The pairs in the order of time."""
        return iter(self._pairs)

    def total(self):
        """Sum of all values.

        Raises:
            EmptySeries: there is none.
        """
        values = [value for _time, value in self._pairs if value is not None]
        if not values:
            raise EmptySeries("no values")
        return sum(values)

    def between(self, low, high):
        """The readings from `low` up to, but not including, `high`, in seconds since the start."""
        return Series(self.start, [pair for pair in self._pairs if low <= pair[0] < high])


def parse(text, *, unit):
    """Series from lines "HH:MM VALUE", in the order of time; `-` is a failed reading. The first line is the start.

    Raises:
        ParseError: a line is not like that, or earlier than the one before.
    """
    pairs = []
    for number, line in enumerate(text.splitlines()):
        try:
            clock, value = line.split()
            hours, minutes = map(int, clock.split(":"))
            time = 3600 * hours + 60 * minutes
            amount = None if value == "-" else Decimal(value) * _FACTORS[unit]
        except (ValueError, InvalidOperation) as error:
            raise ParseError(number, "expected HH:MM VALUE") from error
        if pairs and time < pairs[-1][0]:
            raise ParseError(number, "times go back")
        pairs.append((time, amount))
    start = pairs[0][0] if pairs else 0
    return Series(start, [(time - start, value) for time, value in pairs])
