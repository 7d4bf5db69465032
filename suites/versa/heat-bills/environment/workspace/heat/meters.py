"""From readings to consumption."""

from __future__ import annotations

from heat.readings import Reading


def step(before: int, after: int, digits: int) -> int:
    """What was consumed between two readings.

    A lower second reading means that the counter went past its end if the first was in the last tenth of its range;
    otherwise somebody has put it right, and nothing is counted.
    """
    size = 10**digits
    if after >= before:
        return after - before
    if before >= size - size // 10:
        return after + size - before
    return 0


def consumption(readings: list[Reading], digits: int) -> int:
    """What was consumed between the first and the last reading."""
    pairs = zip(readings, readings[1:], strict=False)
    return sum(step(one.value, other.value, digits) for one, other in pairs)
