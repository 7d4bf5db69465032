"""Tests of the exact matrices."""

import unittest
from fractions import Fraction

from exact import MatrixError, SingularError, determinant, multiply, power, rank, solve, transpose


class MatrixTest(unittest.TestCase):
    def setUp(self):
        self.matrix = [[2, 1], [1, 3]]
        self.identity = [[1, 0], [0, 1]]

    def test_transpose(self):
        self.assertEqual(transpose(self.matrix), self.matrix)

    def test_transpose_twice(self):
        self.assertEqual(transpose(transpose(self.matrix)), self.matrix)

    def test_multiply_by_identity(self):
        self.assertEqual(multiply(self.matrix, self.identity), multiply(self.identity, self.matrix))

    def test_power_of_identity(self):
        self.assertEqual(power(self.identity, 5), self.identity)

    def test_power_one(self):
        self.assertEqual(power(self.matrix, 1), self.matrix)

    def test_determinant_of_identity(self):
        self.assertEqual(determinant(self.identity), 1)

    def test_determinant_type(self):
        self.assertIsInstance(determinant(self.matrix), Fraction)

    def test_rank_of_identity(self):
        self.assertEqual(rank(self.identity), 2)

    def test_solve_identity(self):
        self.assertEqual(solve(self.identity, [4, 5]), [4, 5])

    def test_solve_length(self):
        self.assertEqual(len(solve(self.matrix, [1, 2])), 2)

    def test_errors_are_value_errors(self):
        self.assertTrue(issubclass(MatrixError, ValueError))
        self.assertTrue(issubclass(SingularError, MatrixError))


if __name__ == "__main__":
    unittest.main()
