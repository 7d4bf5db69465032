"""Tests of splitting costs."""

import unittest

from heat import Flat, House, Meter, Reading, bills
from heat.billing import used
from heat.shares import split


class HeatTest(unittest.TestCase):
    def setUp(self):
        self.house = House((Flat("L", 6000), Flat("R", 4000)), (Meter("K1", "L", 4), Meter("K2", "R", 4), Meter("K3", "R", 4)))

    def test_used(self):
        readings = [
            Reading("2025-01-02", "K1", 9950),
            Reading("2025-12-30", "K1", 30),
            Reading("2025-12-31", "K3", 70),
            Reading("2025-06-30", "K3", 5),
            Reading("2025-01-02", "K2", 500),
            Reading("2025-03-02", "K2", 600, True),
            Reading("2025-06-30", "K2", 570),
        ]
        self.assertEqual(used(self.house, readings), {"L": 80, "R": 135})

    def test_shares(self):
        self.assertEqual(split(100, [1, 1, 1]), [34, 33, 33])
        self.assertEqual(split(5, [0, 0]), [3, 2])

    def test_bills(self):
        readings = [Reading("2025-01-02", "K1", 0), Reading("2025-12-30", "K1", 30)]
        self.assertEqual(bills(self.house, readings, 1000), {"L": 880, "R": 120})


if __name__ == "__main__":
    unittest.main()
