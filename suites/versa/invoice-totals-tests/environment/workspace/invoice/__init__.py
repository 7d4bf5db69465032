"""Invoices."""

from invoice.totals import Line, Totals, totals

__all__ = ["Line", "Totals", "totals"]
