"""Prices of orders."""

from shop.prices import Order, discount, total

__all__ = ["Order", "discount", "total"]
