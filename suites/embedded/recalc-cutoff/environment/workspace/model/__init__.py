"""A sheet of values and formulas."""

from model.sheet import Cycle, Sheet

__all__ = ["Cycle", "Sheet"]
