"""Tests of the exact matrices, with examples worked out by hand."""

import unittest
from fractions import Fraction

from exact import MatrixError, SingularError, determinant, multiply, power, rank, solve, transpose


class MatrixTest(unittest.TestCase):
    def test_transpose(self):
        self.assertEqual(transpose([[1, 2, 3], [4, 5, 6]]), [[1, 4], [2, 5], [3, 6]])

    def test_multiply(self):
        self.assertEqual(multiply([[1, 2], [3, 4]], [[5, 6], [7, 8]]), [[19, 22], [43, 50]])

    def test_multiply_wrong_shapes(self):
        with self.assertRaises(MatrixError):
            multiply([[1, 2]], [[1, 2]])

    def test_power(self):
        self.assertEqual(power([[1, 1], [0, 1]], 5), [[1, 5], [0, 1]])

    def test_power_zero(self):
        self.assertEqual(power([[1, 1], [0, 1]], 0), [[1, 0], [0, 1]])

    def test_determinant(self):
        self.assertEqual(determinant([[1, 2], [3, 4]]), -2)
        self.assertEqual(determinant([[2, 0, 1], [1, 3, 2], [1, 1, 4]]), 18)

    def test_determinant_of_singular(self):
        self.assertEqual(determinant([[1, 2], [2, 4]]), 0)

    def test_determinant_not_square(self):
        with self.assertRaises(MatrixError):
            determinant([[1, 2, 3], [4, 5, 6]])

    def test_rank(self):
        self.assertEqual(rank([[1, 2], [2, 4]]), 1)
        self.assertEqual(rank([[1, 0], [0, 1]]), 2)

    def test_solve(self):
        self.assertEqual(solve([[2, 1], [1, 3]], [3, 5]), [Fraction(4, 5), Fraction(7, 5)])

    def test_solve_singular(self):
        with self.assertRaises(SingularError):
            solve([[1, 2], [2, 4]], [1, 3])

    def test_ragged(self):
        with self.assertRaises(MatrixError):
            transpose([[1, 2], [3]])


if __name__ == "__main__":
    unittest.main()
