"""Days on which subscribers are charged."""

from billing.days import PLANS, charges, next_charge

__all__ = ["PLANS", "charges", "next_charge"]
