"""Tests of the totals of invoices."""

import unittest
from decimal import Decimal

from invoice import Line, totals


def line(quantity, price, rate, discount=0):
    return Line(Decimal(quantity), price, Decimal(rate), Decimal(discount))


class TotalsTest(unittest.TestCase):
    def test_line(self):
        self.assertEqual(totals([line(3, 100, 10)]).net, 300)

    def test_tax(self):
        self.assertEqual(totals([line(3, 100, 10)]).taxes, {Decimal(10): 30})

    def test_gross(self):
        self.assertEqual(totals([line(3, 100, 10)]).gross, 330)

    def test_discount(self):
        self.assertEqual(totals([line(3, 100, 10, 50)]).net, 150)

    def test_voucher(self):
        given = totals([line(1, 1000, 10), line(1, 3000, 20)], 400)
        self.assertEqual((given.net, given.taxes), (3600, {Decimal(10): 90, Decimal(20): 540}))

    def test_too_much(self):
        self.assertEqual(totals([line(1, 1000, 10)], 2000).voucher, 1000)

    def test_errors(self):
        with self.assertRaises(ValueError):
            totals([], -1)


if __name__ == "__main__":
    unittest.main()
