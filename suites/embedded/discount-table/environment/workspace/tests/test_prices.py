"""Tests of the prices."""

import unittest

from shop import Order, discount, total
from shop import prices


class PricesTest(unittest.TestCase):
    def test_discounts(self):
        self.assertEqual(discount(Order(1000, 3)), 0)
        self.assertEqual(discount(Order(1000, 3, coupon="WELCOME")), 15)
        self.assertEqual(discount(Order(20_000, 30, member_years=6, coupon="BULK9")), 12)
        self.assertEqual(total(Order(999, 1, member_years=7)), 930)

    def test_rules(self):
        order = Order(1000, 3, coupon="WELCOME")
        rule = next(rule for rule in prices.RULES if rule.percent == 15)
        self.assertTrue(rule.applies(order))
        self.assertEqual(prices.reason(order), rule.name)
        self.assertIsNone(prices.reason(Order(1000, 3)))


if __name__ == "__main__":
    unittest.main()
