"""Exact arithmetic with matrices."""

from exact.matrix import MatrixError, SingularError, determinant, multiply, power, rank, solve, transpose

__all__ = ["MatrixError", "SingularError", "determinant", "multiply", "power", "rank", "solve", "transpose"]
