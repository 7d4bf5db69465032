"""Examples of rotations and overrides."""

import unittest
from datetime import datetime, timedelta

from rota.rotation import Rotation
from rota.schedule import Schedule


def day(number: int, hour: int = 0) -> datetime:
    return datetime(2026, 5, number, hour)


class ScheduleTest(unittest.TestCase):
    def setUp(self):
        self.schedule = Schedule(Rotation(["ann", "bo", "cy"], day(4), timedelta(days=7)))

    def test_rotation(self):
        self.assertEqual(self.schedule.on_call(day(11)), "bo")
        self.assertEqual(self.schedule.on_call(day(3)), "cy")
        expected = [("ann", day(9), day(11)), ("bo", day(11), day(12))]
        self.assertEqual(self.schedule.shifts(day(9), day(12)), expected)

    def test_override(self):
        self.assertEqual(self.schedule.override("cy", day(6, 18), day(7, 6)), 1)
        self.assertEqual(self.schedule.on_call(day(6, 20)), "cy")
        self.assertEqual(self.schedule.on_call(day(6, 12)), "ann")
        expected = [("ann", day(6), day(6, 18)), ("cy", day(6, 18), day(7, 6)), ("ann", day(7, 6), day(8))]
        self.assertEqual(self.schedule.shifts(day(6), day(8)), expected)

    def test_cancelled_override(self):
        number = self.schedule.override("guest", day(5), day(6))
        self.schedule.cancel_override(number)
        self.assertEqual(self.schedule.on_call(day(5, 12)), "ann")
        with self.assertRaises(KeyError):
            self.schedule.cancel_override(number)

    def test_totals(self):
        self.schedule.override("guest", day(5), day(6))
        expected = {"ann": timedelta(days=6), "guest": timedelta(days=1), "bo": timedelta(days=1)}
        self.assertEqual(self.schedule.totals(day(4), day(12)), expected)

    def test_empty_override(self):
        with self.assertRaises(ValueError):
            self.schedule.override("bo", day(6), day(6))


if __name__ == "__main__":
    unittest.main()
