"""Visible tests: unittest only. The agent may read and run them; they need not find every fault."""

import unittest

from share import split


class ShareTest(unittest.TestCase):
    def test_even(self):
        self.assertEqual(split(90, 3), [30, 30, 30])

    def test_odd(self):
        self.assertEqual(split(100, 3), [34, 33, 33])


if __name__ == "__main__":
    unittest.main()
