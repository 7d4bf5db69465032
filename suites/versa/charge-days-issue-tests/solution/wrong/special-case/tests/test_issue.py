"""Tests of the issue."""

import unittest
from datetime import date

from billing import charges


class IssueTest(unittest.TestCase):
    def test_march(self):
        self.assertEqual(charges(date(2025, 1, 31), "monthly", 3)[2], date(2025, 3, 31))

    def test_start(self):
        self.assertEqual(charges(date(2025, 1, 31), "monthly", 1), [date(2025, 1, 31)])

    def test_february(self):
        self.assertEqual(charges(date(2025, 1, 31), "monthly", 2)[1], date(2025, 2, 28))

    def test_nothing(self):
        self.assertEqual(charges(date(2025, 1, 31), "monthly", 0), [])


if __name__ == "__main__":
    unittest.main()
