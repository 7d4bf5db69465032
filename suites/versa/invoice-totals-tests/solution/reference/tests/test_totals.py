"""Tests of the totals of invoices, by their documented behaviour only."""

import unittest
from decimal import Decimal

from invoice import Line, totals


def line(quantity, price, rate, discount="0"):
    return Line(Decimal(quantity), price, Decimal(rate), Decimal(discount))


class TotalsTest(unittest.TestCase):
    def check(self, lines, voucher, net, taxes, taken):
        given = totals(lines, voucher)
        wanted = {Decimal(rate): tax for rate, tax in taxes.items()}
        self.assertEqual((given.net, given.taxes, given.gross, given.voucher), (net, wanted, net + sum(taxes.values()), taken))
        self.assertEqual([str(rate) for rate in given.taxes], list(taxes))

    def test_lines(self):
        self.check([line("3", 333, "0")], 0, 999, {"0": 0}, 0)
        self.check([line("0.5", 101, "0")], 0, 51, {"0": 0}, 0)
        self.check([line("0.5", 103, "0")], 0, 52, {"0": 0}, 0)
        self.check([line("-0.5", 101, "0")], 0, -51, {"0": 0}, 0)
        self.check([line("0.5", 101, "0"), line("0.5", 101, "0")], 0, 102, {"0": 0}, 0)
        self.check([], 0, 0, {}, 0)

    def test_discounts(self):
        self.check([line("0.5", 101, "0", "50")], 0, 25, {"0": 0}, 0)
        self.check([line("1", 99, "0", "50")], 0, 50, {"0": 0}, 0)
        self.check([line("1", 1000, "0", "12.5"), line("1", 7, "0", "100")], 0, 875, {"0": 0}, 0)
        self.check([line("-1", 1000, "0", "10")], 0, -900, {"0": 0}, 0)

    def test_taxes(self):
        self.check([line("1", 150, "7")], 0, 150, {"7": 11}, 0)
        self.check([line("1", 50, "19")], 0, 50, {"19": 10}, 0)
        self.check([line("1", 50, "7"), line("1", 50, "7"), line("1", 50, "7")], 0, 150, {"7": 11}, 0)
        self.check([line("-1", 150, "7")], 0, -150, {"7": -11}, 0)
        self.check([line("1", 50, "5"), line("1", 130, "5")], 0, 180, {"5": 9}, 0)
        self.check([line("1", 1000, "5.5")], 0, 1000, {"5.5": 55}, 0)

    def test_rates(self):
        self.check([line("1", 100, "19"), line("1", 100, "7.0"), line("1", 50, "7"), line("1", 30, "0")], 0, 280, {"0": 0, "7.0": 11, "19": 19}, 0)
        self.check([line("1", 100, "10"), line("1", 100, "9")], 0, 200, {"9": 9, "10": 10}, 0)
        self.check([line("0", 100, "9")], 0, 0, {"9": 0}, 0)

    def test_vouchers(self):
        self.check([line("1", 1000, "10"), line("1", 3000, "20")], 400, 3600, {"10": 90, "20": 540}, 400)
        self.check([line("1", 1000, "10")], 1000, 0, {"10": 0}, 1000)
        self.check([line("1", 1000, "10")], 1001, 0, {"10": 0}, 1000)
        self.check([line("1", 999, "10")], 1, 998, {"10": 100}, 1)

    def test_vouchers_of_nothing(self):
        self.check([line("-1", 1000, "10")], 50, -1000, {"10": -100}, 0)
        self.check([line("-1", 1000, "10"), line("1", 1000, "20")], 50, 0, {"10": -100, "20": 200}, 0)
        self.check([], 50, 0, {}, 0)

    def test_left_cents(self):
        hundreds = [line("1", 10000, rate) for rate in ("300", "100", "200")]
        self.check(hundreds, 100, 29900, {"100": 9967, "200": 19934, "300": 29898}, 100)
        self.check(hundreds, 101, 29899, {"100": 9967, "200": 19932, "300": 29898}, 101)
        self.check([line("1", 10000, "100"), line("1", 20000, "200")], 100, 29900, {"100": 9967, "200": 39866}, 100)
        self.check([line("1", 10000, "100"), line("1", 20000, "200")], 50, 29950, {"100": 9983, "200": 39934}, 50)
        self.check([line("1", 20000, "100"), line("1", 10000, "200")], 100, 29900, {"100": 19933, "200": 19934}, 100)

    def test_parts_of_returns(self):
        self.check([line("1", 3000, "10"), line("-1", 1000, "20"), line("1", 1000, "30")], 400, 2600, {"10": 270, "20": -200, "30": 270}, 400)
        self.check([line("1", 2000, "10"), line("-1", 1000, "10"), line("1", 1000, "20")], 200, 1800, {"10": 90, "20": 180}, 200)

    def test_errors(self):
        for lines, voucher in (([], -1), ([line("1", 1, "-0.1")], 0), ([line("1", 1, "1", "-1")], 0), ([line("1", 1, "1", "100.1")], 0), ([line("1", 1, "1"), line("1", 1, "-1")], 0)):
            with self.assertRaises(ValueError):
                totals(lines, voucher)
        lines = [line("1", 100, "19"), line("2", 100, "7")]
        before = [line("1", 100, "19"), line("2", 100, "7")]
        totals(lines, 50)
        self.assertEqual(lines, before)
        self.assertEqual(totals(tuple(lines)).net, 300)


if __name__ == "__main__":
    unittest.main()
