"""Tests of the clearance check."""

import unittest

from clearance import BoardError, check_board

BOARD = """\
# name net x y radius
R1.1 GND    0    0 50
R1.2 OUT  150    0 50
C1.1 GND    0  160 50
C1.2 VCC  300  400 50
H1   -    900  400 500
"""


class ClearanceTest(unittest.TestCase):
    def test_gap_less_than_the_clearance(self):
        self.assertEqual(check_board(BOARD, 51), [("C1.2", "H1"), ("R1.1", "R1.2")])

    def test_gap_as_wide_as_the_clearance_is_allowed(self):
        self.assertEqual(check_board(BOARD, 50), [])

    def test_pads_of_one_net_may_touch(self):
        self.assertEqual(check_board("A GND 0 0 50\nB GND 10 0 50\nC VCC 10 300 50\n", 100), [])

    def test_column_of_pads(self):
        column = "".join(f"J{n:03} N{n} 0 {n * 100} 20\n" for n in range(200))
        self.assertEqual(check_board(column, 60), [])
        self.assertEqual(check_board(column, 61), [(f"J{n:03}", f"J{n + 1:03}") for n in range(199)])

    def test_names_are_unique(self):
        with self.assertRaisesRegex(BoardError, "^2: "):
            check_board("A GND 0 0 50\nA VCC 100 0 50\n", 10)


if __name__ == "__main__":
    unittest.main()
