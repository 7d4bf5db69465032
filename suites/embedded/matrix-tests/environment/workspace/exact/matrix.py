"""Matrices of fractions.

A matrix is a list of rows of equal length, at least one row of at least one entry; entries are ints or Fractions. All
results are exact. What a function returns is new: no function changes its arguments or returns a part of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Matrix = Sequence[Sequence[int | Fraction]]


class MatrixError(ValueError):
    """Raised for what is no matrix (no rows, empty rows, rows of different lengths), and for shapes that don't fit."""


class SingularError(MatrixError):
    """Raised where a system of equations has no solution, or more than one."""


def transpose(matrix: Matrix) -> list[list[Fraction]]:
    """The matrix with rows and columns exchanged."""
    return [list(column) for column in zip(*_checked(matrix), strict=True)]


def multiply(left: Matrix, right: Matrix) -> list[list[Fraction]]:
    """The product of two matrices.

    Raises:
        MatrixError: `left` has not as many columns as `right` has rows.
    """
    rows, columns = _checked(left), transpose(right)
    if len(rows[0]) != len(columns[0]):
        raise MatrixError(f"cannot multiply {len(rows[0])} columns with {len(columns[0])} rows")
    return [[sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns] for row in rows]


def power(matrix: Matrix, exponent: int) -> list[list[Fraction]]:
    """A square matrix, multiplied `exponent` times with itself; for 0 it is the matrix that changes nothing.

    Raises:
        MatrixError: the matrix is not square, or the exponent is negative.
    """
    base = _square(matrix)
    if exponent < 0:
        raise MatrixError(f"the exponent must not be negative: {exponent}")
    result = [[Fraction(int(row == column)) for column in range(len(base))] for row in range(len(base))]
    while exponent:
        if exponent % 2:
            result = multiply(result, base)
        base = multiply(base, base)
        exponent //= 2
    return result


def determinant(matrix: Matrix) -> Fraction:
    """The determinant of a square matrix.

    Raises:
        MatrixError: the matrix is not square.
    """
    rows = _square(matrix)
    swaps, pivots = _eliminate(rows)
    if len(pivots) < len(rows):
        return Fraction(0)
    product = Fraction((-1) ** swaps)
    for index in range(len(rows)):
        product *= rows[index][index]
    return product


def rank(matrix: Matrix) -> int:
    """How many rows of a matrix of any shape are independent of each other."""
    return len(_eliminate(_checked(matrix))[1])


def solve(matrix: Matrix, right: Sequence[int | Fraction]) -> list[Fraction]:
    """The only `x` for which the square matrix times `x` is `right`.

    Raises:
        SingularError: there is none, or more than one.
        MatrixError: the matrix is not square, or `right` has another length.
    """
    rows = _square(matrix)
    if len(right) != len(rows):
        raise MatrixError(f"{len(rows)} equations need {len(rows)} right-hand sides, not {len(right)}")
    joined = [[*row, Fraction(value)] for row, value in zip(rows, right, strict=True)]
    _swaps, pivots = _eliminate(joined)
    if pivots != list(range(len(rows))):
        raise SingularError("the system has no solution or more than one")
    solution = [Fraction(0)] * len(rows)
    for index in reversed(range(len(rows))):
        known = sum((joined[index][j] * solution[j] for j in range(index + 1, len(rows))), Fraction(0))
        solution[index] = (joined[index][-1] - known) / joined[index][index]
    return solution


def _eliminate(rows: list[list[Fraction]]) -> tuple[int, list[int]]:
    """Brings rows to echelon form in place; gives the number of swaps and the pivots' columns."""
    swaps, pivots = 0, []
    for column in range(len(rows[0])):
        top = len(pivots)
        found = next((index for index in range(top, len(rows)) if rows[index][column] != 0), None)
        if found is None:
            continue
        if found != top:
            rows[top], rows[found] = rows[found], rows[top]
            swaps += 1
        for row in rows[top + 1 :]:
            factor = row[column] / rows[top][column]
            row[:] = [value - factor * above for value, above in zip(row, rows[top], strict=True)]
        pivots.append(column)
    return swaps, pivots


def _checked(matrix: Matrix) -> list[list[Fraction]]:
    """A copy with Fractions only."""
    if not matrix or not matrix[0] or len({len(row) for row in matrix}) > 1:
        raise MatrixError("a matrix has rows of equal length, at least one of at least one entry")
    return [[Fraction(value) for value in row] for row in matrix]


def _square(matrix: Matrix) -> list[list[Fraction]]:
    rows = _checked(matrix)
    if len(rows) != len(rows[0]):
        raise MatrixError(f"the matrix must be square, not {len(rows)} by {len(rows[0])}")
    return rows
