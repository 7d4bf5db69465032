"""Tests of zones and pay."""

import unittest
from datetime import datetime

from shifts import Rates, Shift, Zone, pay
from shifts.pay import minutes


def at(text):
    return datetime.fromisoformat(f"2026-{text}")


class ShiftsTest(unittest.TestCase):
    def setUp(self):
        self.zone = Zone(60, [(at("03-29T01:00"), 120), (at("10-25T01:00"), 60)])

    def test_local_times(self):
        self.assertEqual(self.zone.to_local(at("03-29T00:59")), at("03-29T01:59"))
        self.assertEqual(self.zone.to_local(at("03-29T01:00")), at("03-29T03:00"))
        self.assertEqual(self.zone.to_utc(at("03-29T03:00")), at("03-29T01:00"))
        self.assertEqual(self.zone.to_utc(at("10-25T03:00")), at("10-25T02:00"))

    def test_nights_of_the_change(self):
        spring = Shift(1, "Kai", at("03-28T22:00"), at("03-29T06:00"))
        self.assertEqual(minutes(spring, self.zone), {"all": 420, "night": 420, "sunday": 300})
        autumn = Shift(2, "Kai", at("10-25T02:30"), at("10-25T06:00"))
        self.assertEqual(minutes(autumn, self.zone), {"all": 270, "night": 270, "sunday": 270})

    def test_pay(self):
        day = Shift(3, "Mele", at("05-04T12:00"), at("05-04T22:30"))
        self.assertEqual(pay(day, self.zone, Rates(1000)), 10625)


if __name__ == "__main__":
    unittest.main()
