"""The tiers of the tariff, by the units that lie in each."""

from gas.tiers import TIERS


def bands() -> list[tuple[int, int | None, int]]:
    """For each tier: the units before it, the units in it (None: without end), and the cents for one of them."""
    starts = [0, *(upper or 0 for upper, _ in TIERS)]
    return [(start, upper and upper - start, cents) for start, (upper, cents) in zip(starts, TIERS)]


def spread(units: int) -> list[tuple[int, int]]:
    """For each tier: how many of the units lie in it, and the cents for one of them.

    Raises:
        ValueError: the number is below 0.
    """
    if units < 0:
        raise ValueError(f"units cannot be below 0: {units}")
    return [(_within(units - start, room), cents) for start, room, cents in bands()]


def _within(units: int, room: int | None) -> int:
    """How many of the units, counted from the first of a tier, lie in it."""
    return max(units if room is None else min(units, room), 0)
