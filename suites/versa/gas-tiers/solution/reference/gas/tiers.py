"""The tariff."""

BASE = 850
TIERS = ((500, 12), (1500, 9), (None, 7))
