"""Clearance check of circuit boards: which pads lie too close to each other?"""

from clearance.board import BoardError, Pad, read_board
from clearance.check import check_board, violations

__all__ = ["BoardError", "Pad", "check_board", "read_board", "violations"]
