"""Tests of the till."""

import unittest

from till import Bundle, Percent, ThreeForTwo, Till, Unknown, shop

PRICES = {"milk": 100, "bread": 200, "jam": 250}


class TillTest(unittest.TestCase):
    def test_offers(self):
        till = Till(PRICES, [Percent("sweet", ("jam",), 10), Bundle("breakfast", ("bread", "jam"), 400)])
        receipt = till.ring({"jam": 3, "bread": 1})
        self.assertEqual((receipt.total, receipt.savings), (875, (("sweet", 75),)))
        self.assertEqual(till.ring({"jam": 1, "bread": 1}).savings, (("breakfast", 50),))

    def test_equal_savings(self):
        till = Till(PRICES, [ThreeForTwo("dairy", ("milk",)), Bundle("picnic", ("milk", "bread"), 200)])
        self.assertEqual(till.ring({"milk": 3, "bread": 1}).savings, (("dairy", 100),))
        self.assertEqual(till.ring({"milk": 1, "bread": 1}).savings, (("picnic", 100),))
        self.assertEqual(till.ring({"milk": 3, "bread": 1}).savings, (("dairy", 100),))

    def test_refused(self):
        till = Till(PRICES, [])
        with self.assertRaises(Unknown):
            till.ring({"caviar": 1})
        with self.assertRaises(ValueError):
            till.ring({"milk": 0})
        self.assertEqual(till.takings, 0)

    def test_monday(self):
        till = shop.open_till("data")
        first, *_rest = shop.baskets("data/monday.txt").values()
        self.assertEqual(till.ring(first), shop.open_till("data").ring(first))


if __name__ == "__main__":
    unittest.main()
