"""Tests of the till roll."""

import unittest

from tillroll.lines import Line, collect, parse_line
from tillroll.shop import Shop, load_shop
from tillroll.stamps import shown, trading_day
from tillroll.totals import by_kind, net, pieces, points


class TillTest(unittest.TestCase):
    def test_lines(self):
        self.assertEqual(parse_line("NO-17;2;399;sale"), Line("17", 2, 399, "sale"))
        self.assertEqual(collect(["# till 3", "X1;1;25;deposit"]), [Line("X1", 1, 25, "deposit")])

    def test_totals(self):
        lines = [Line("a", 2, 399, "sale"), Line("b", 1, 100, "refund"), Line("c", 4, 25, "deposit")]
        self.assertEqual(net(lines), 798)
        self.assertEqual(by_kind(lines), {"sale": 798, "refund": 100, "deposit": 100})
        self.assertEqual(pieces(lines), 1)
        self.assertEqual(points({"gold": 2})["gold"](1999), 38)

    def test_stamps(self):
        self.assertEqual(shown(1748779500, "Europe/Berlin"), "2025-06-01 14:05")
        self.assertEqual(trading_day(1748779500, "Europe/Berlin"), "2025-06-01")

    def test_shop(self):
        self.assertEqual(load_shop('{"name": "Mitte", "zone": "Europe/Berlin"}'), Shop("Mitte", "Europe/Berlin", 0))


if __name__ == "__main__":
    unittest.main()
