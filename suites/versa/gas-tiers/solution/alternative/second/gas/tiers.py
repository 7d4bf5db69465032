"""The tariff: the base price in cents, and the tiers, as pairs of the last unit of each (None: without end) and the cents for one unit."""

BASE = 850
TIERS = ((500, 12), (1500, 9), (None, 7))
