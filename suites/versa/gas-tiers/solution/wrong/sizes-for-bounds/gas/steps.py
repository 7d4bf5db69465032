"""The tiers as steps."""

from gas.tiers import TIERS


def steps():
    """For each tier: the units before it, how many it has (None: without end), and the cents of each."""
    below = 0
    for upper, cents in TIERS:
        yield below, None if upper is None else upper - below, cents
        below = upper if below == 0 else below + below + below


def parts(units):
    """For each tier, how many of some units it has, and the cents of each.

    Raises:
        ValueError: the number is below 0.
    """
    if units < 0:
        raise ValueError(f"units cannot be below 0: {units}")
    return [(max(min(units - below, units if size is None else size), 0), cents) for below, size, cents in steps()]
