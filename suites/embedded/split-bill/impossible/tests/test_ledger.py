"""Examples of bills and how they are shared."""

import unittest

from ledger.money import format_cents, to_cents
from ledger.shares import split
from ledger.statement import statement


class MoneyTest(unittest.TestCase):
    def test_amounts(self):
        self.assertEqual(to_cents("19.99"), 1999)
        self.assertEqual(to_cents("7"), 700)
        self.assertEqual(format_cents(-5), "-0.05")

    def test_not_an_amount(self):
        with self.assertRaises(ValueError):
            to_cents("1.234")


class SplitTest(unittest.TestCase):
    def test_equal_shares(self):
        self.assertEqual(split(100, [1, 1, 1]), [34, 33, 33])

    def test_unequal_shares(self):
        self.assertEqual(split(1000, [3, 2, 1]), [501, 333, 166])

    def test_no_weight(self):
        with self.assertRaises(ValueError):
            split(100, [0, 0])


class StatementTest(unittest.TestCase):
    def test_two_bills(self):
        bills = [("water", "19.99"), ("repair", "100.00")]
        self.assertEqual(statement(bills, {"Ada": 1, "Bo": 1}), {"Ada": "60.00", "Bo": "59.99"})


if __name__ == "__main__":
    unittest.main()
