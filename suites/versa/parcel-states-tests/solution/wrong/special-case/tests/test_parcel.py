"""Tests of the parcel."""

import unittest
from datetime import date

from post import Parcel


class ParcelTest(unittest.TestCase):
    def check(self):
        self.assertEqual(Parcel(date(2026, 1, 1)).state, "announced")

    test_1 = test_2 = test_3 = test_4 = test_5 = test_6 = test_7 = check


if __name__ == "__main__":
    unittest.main()
