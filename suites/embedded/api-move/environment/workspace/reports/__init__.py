"""Reports on the consumption of a day."""

from reports.day import consumption, peak, window
from reports.problems import first_problem
from reports.table import table

__all__ = ["consumption", "first_problem", "peak", "table", "window"]
