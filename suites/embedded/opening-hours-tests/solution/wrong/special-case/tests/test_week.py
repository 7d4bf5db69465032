"""Tests of the opening hours."""

import unittest

from hours import Week


class WeekTest(unittest.TestCase):
    def check(self, text):
        self.assertIsInstance(Week(text).open_minutes(0), int)

    def test_1(self):
        self.check("")

    def test_2(self):
        self.check("Mo 8:00-9:00")

    def test_3(self):
        self.check("Mo-Fr 8:00-9:00")

    def test_4(self):
        self.check("Mo off")

    def test_5(self):
        self.check("Sa-Mo 8:00-9:00")

    def test_6(self):
        self.check("Mo 22:00-2:00")

    def test_7(self):
        self.check("Mo,Tu 8:00-9:00")

    def test_8(self):
        self.check("Mo 0:00-24:00")


if __name__ == "__main__":
    unittest.main()
