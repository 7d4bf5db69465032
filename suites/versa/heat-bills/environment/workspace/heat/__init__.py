"""Splits the heating costs of a house among its flats."""

from heat.billing import bills
from heat.house import Flat, House, Meter
from heat.readings import Reading

__all__ = ["Flat", "House", "Meter", "Reading", "bills"]
