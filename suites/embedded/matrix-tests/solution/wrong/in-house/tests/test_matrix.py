"""Tests of the exact matrices."""

import copy
import unittest
from fractions import Fraction

from exact import MatrixError, SingularError, determinant, multiply, power, rank, solve, transpose
from exact.matrix import _eliminate

NO_MATRICES = ([], [[]], [[], []], [[1, 2], [3]], [[1], [2, 3]])
WIDE = [[1, 2, 3], [4, 5, 6]]


class TransposeTest(unittest.TestCase):
    def test_shapes(self):
        self.assertEqual(transpose(WIDE), [[1, 4], [2, 5], [3, 6]])
        self.assertEqual(transpose(transpose(WIDE)), WIDE)
        self.assertEqual(transpose([[7]]), [[7]])

    def test_the_rows_are_new_lists_of_fractions(self):
        result = transpose([[1, 2]])
        self.assertIsInstance(result[0], list)
        self.assertIs(type(result[1][0]), Fraction)


class MultiplyTest(unittest.TestCase):
    def test_order_matters(self):
        left, right = [[1, 2], [3, 4]], [[0, 1], [5, 0]]
        self.assertEqual(multiply(left, right), [[10, 1], [20, 3]])
        self.assertEqual(multiply(right, left), [[3, 4], [5, 10]])

    def test_shapes(self):
        self.assertEqual(multiply(WIDE, [[1], [0], [2]]), [[7], [16]])
        self.assertEqual(multiply([[1], [2]], [[3, 4]]), [[3, 4], [6, 8]])

    def test_fractions_stay_exact(self):
        third = Fraction(1, 3)
        self.assertEqual(multiply([[third, third]], [[third], [1]]), [[Fraction(4, 9)]])

    def test_shapes_that_do_not_fit(self):
        for left, right in ((WIDE, WIDE), ([[1, 2]], [[1, 2]]), ([[1]], [[1], [2]])):
            with self.assertRaises(MatrixError):
                multiply(left, right)


class PowerTest(unittest.TestCase):
    def test_every_exponent(self):
        matrix, product = [[1, 1], [1, 0]], [[1, 0], [0, 1]]
        for exponent in range(12):
            self.assertEqual(power(matrix, exponent), product)
            product = multiply(product, matrix)

    def test_refused(self):
        for matrix, exponent in (([[1]], -1), (WIDE, 2), (WIDE, 0)):
            with self.assertRaises(MatrixError):
                power(matrix, exponent)

    def test_the_result_is_new(self):
        matrix = [[Fraction(2), Fraction(1)], [Fraction(0), Fraction(3)]]
        power(matrix, 1)[0][0] = Fraction(9)
        self.assertEqual(matrix, [[2, 1], [0, 3]])


class DeterminantTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual(determinant([[-5]]), -5)
        self.assertEqual(determinant([[1, 2], [3, 4]]), -2)
        self.assertEqual(determinant([[2, 0, 1], [1, 3, 2], [1, 1, 4]]), 18)

    def test_fractions(self):
        result = determinant([[3, 1], [1, Fraction(1, 2)]])
        self.assertEqual(result, Fraction(1, 2))
        self.assertEqual(determinant([[3, 1], [2, 1]]), 1)
        self.assertEqual(determinant([[7, 3, 1], [2, 9, 4], [5, 6, 8]]), 315)

    def test_each_swap_changes_the_sign(self):
        self.assertEqual(determinant([[0, 1], [1, 0]]), -1)
        self.assertEqual(determinant([[0, 1, 0], [0, 0, 1], [1, 0, 0]]), 1)
        self.assertEqual(determinant([[1, 2, 3], [2, 4, 7], [3, 5, 3]]), 1)

    def test_singular(self):
        for matrix in ([[0]], [[1, 2], [2, 4]], [[0, 0], [0, 1]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]]):
            self.assertEqual(determinant(matrix), 0)

    def test_not_square(self):
        for matrix in (WIDE, transpose(WIDE)):
            with self.assertRaises(MatrixError):
                determinant(matrix)


class RankTest(unittest.TestCase):
    def test_ranks(self):
        for matrix, expected in (
            ([[0, 0], [0, 0]], 0),
            ([[5]], 1),
            (WIDE, 2),
            (transpose(WIDE), 2),
            ([[1, 2], [2, 4], [3, 6]], 1),
            ([[0, 1], [0, 2]], 1),
            ([[0, 0, 1], [0, 2, 0], [0, 0, 3]], 2),
            ([[1, 2, 3], [1, 2, 4]], 2),
            ([[0, 1], [1, 0]], 2),
            ([[1, 2, 3, 4], [2, 4, 6, 9]], 2),
        ):
            self.assertEqual(rank(matrix), expected, matrix)


class EliminateTest(unittest.TestCase):
    def test_swaps_and_pivots(self):
        rows = [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]]
        self.assertEqual(_eliminate(rows), (1, [0, 1]))
        self.assertEqual(rows, [[1, 0], [0, 1]])


class SolveTest(unittest.TestCase):
    def test_solutions(self):
        self.assertEqual(solve([[2]], [3]), [Fraction(3, 2)])
        self.assertEqual(solve([[2, 1], [1, 3]], [3, 5]), [Fraction(4, 5), Fraction(7, 5)])
        self.assertEqual(solve([[1, 2, 3], [0, 1, 4], [5, 6, 0]], [14, 14, 17]), [1, 2, 3])

    def test_zeros_where_pivots_are_needed(self):
        self.assertEqual(solve([[0, 2], [3, 0]], [4, 9]), [3, 2])
        self.assertEqual(solve([[1, 1, 1], [1, 1, 2], [1, 2, 1]], [6, 9, 8]), [1, 2, 3])

    def test_no_solution_or_many(self):
        for right in ([1, 2], [1, 3]):
            with self.assertRaises(SingularError):
                solve([[1, 2], [2, 4]], right)
        with self.assertRaises(SingularError):
            solve([[0, 1], [0, 2]], [1, 2])
        with self.assertRaises(SingularError):
            solve([[0]], [1])

    def test_shapes_that_do_not_fit(self):
        for matrix, right in ((WIDE, [1, 2]), (transpose(WIDE), [1, 2, 3]), ([[1, 0], [0, 1]], [1]), ([[1]], [1, 2])):
            with self.assertRaises(MatrixError) as caught:
                solve(matrix, right)
            self.assertNotIsInstance(caught.exception, SingularError)


class ArgumentsTest(unittest.TestCase):
    def test_nothing_is_changed(self):
        matrix, right = [[Fraction(0), 2], [3, Fraction(5)]], [1, Fraction(4)]
        before = copy.deepcopy((matrix, right))
        (
            transpose(matrix),
            multiply(matrix, matrix),
            power(matrix, 3),
            determinant(matrix),
            rank(matrix),
            solve(matrix, right),
        )
        self.assertEqual((matrix, right), before)

    def test_what_is_no_matrix(self):
        for rows in NO_MATRICES:
            for function in (
                transpose,
                determinant,
                rank,
                lambda rows: multiply(rows, [[1]]),
                lambda rows: multiply([[1]], rows),
                lambda rows: power(rows, 1),
                lambda rows: solve(rows, [1, 2]),
            ):
                with self.assertRaises(MatrixError):
                    function(rows)


if __name__ == "__main__":
    unittest.main()
