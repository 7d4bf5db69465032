"""Some of what gas costs."""

import unittest

from gas import budget, explain, marginal, price, summary


class GasTest(unittest.TestCase):
    def test_price(self):
        self.assertEqual([price(units) for units in (0, 500, 501, 2000)], [850, 6850, 6859, 19350])
        self.assertEqual([marginal(units) for units in (0, 499, 500, 1500)], [12, 12, 9, 7])

    def test_explain(self):
        self.assertEqual(explain(600), ["base 850", "500 x 12 = 6000", "100 x 9 = 900", "total 7750"])

    def test_budget(self):
        self.assertEqual([budget(cents) for cents in (849, 850, 6858, 6859)], [None, 0, 500, 501])

    def test_summary(self):
        self.assertEqual(summary([0, 600]), "2 bills, 600 units, 86.00 EUR, tiers 1/1/0")

    def test_errors(self):
        for call in (price, marginal, explain):
            with self.assertRaises(ValueError):
                call(-1)


if __name__ == "__main__":
    unittest.main()
