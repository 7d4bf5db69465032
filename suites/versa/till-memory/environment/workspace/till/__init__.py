"""A till: prices, offers and receipts."""

from till.offers import Bundle, Percent, ThreeForTwo
from till.register import Receipt, Till, Unknown

__all__ = ["Bundle", "Percent", "Receipt", "ThreeForTwo", "Till", "Unknown"]
