"""The calculating part of a spreadsheet."""

from sheet.cells import Cell
from sheet.sheet import Sheet

__all__ = ["Cell", "Sheet"]
