"""Tests of the reports."""

import unittest

from reports import consumption, first_problem, peak, table, window

DAY = "08:00 100.5\n08:30 -\n09:00 200\n09:15 200\n10:00 50\n"


class ReportsTest(unittest.TestCase):
    def test_consumption(self):
        self.assertEqual(consumption(DAY), 550.5)
        self.assertIs(type(consumption(DAY)), float)

    def test_window(self):
        self.assertEqual(window(DAY, "09:00", "10:00"), 450.0)

    def test_peak(self):
        self.assertEqual(peak(DAY), ("09:00", 200.0))

    def test_table(self):
        self.assertEqual(table(DAY), [[8, 1, 100.5], [9, 2, 400.0], [10, 1, 50.0]])

    def test_problem(self):
        self.assertEqual(first_problem("08:00 1\nx\n"), 2)


if __name__ == "__main__":
    unittest.main()
