"""Tests of the opening hours."""

import unittest

from hours import BadHours, Week


class WeekTest(unittest.TestCase):
    def setUp(self):
        self.week = Week("Mo-Fr 8:00-12:00,13:00-17:30; Sa 10:00-14:00")

    def test_open(self):
        self.assertTrue(self.week.is_open(0, 500))

    def test_closed(self):
        self.assertFalse(self.week.is_open(6, 500))

    def test_lunch(self):
        self.assertFalse(self.week.is_open(0, 750))

    def test_saturday(self):
        self.assertTrue(self.week.is_open(5, 700))

    def test_minutes(self):
        self.assertEqual(self.week.open_minutes(0), 510)

    def test_change(self):
        self.assertEqual(self.week.next_change(0, 479), 1)

    def test_bad(self):
        with self.assertRaises(BadHours):
            Week("nonsense")

    def test_night(self):
        self.assertTrue(Week("Sa 22:00-2:00").is_open(6, 60))


if __name__ == "__main__":
    unittest.main()
