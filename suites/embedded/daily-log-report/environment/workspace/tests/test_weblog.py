"""Examples of zones and reports."""

import unittest
from datetime import timedelta

from weblog.report import daily
from weblog.zones import parse_zone

MORNING = [
    "2026-03-01T09:15:00Z web1 GET /cart 200 31ms",
    "2026-03-01T09:40:00Z web1 GET /pay 502 900ms",
    "",
    "2026-03-01T11:05:00Z web1 GET /cart 200 28ms",
]
TWO_MACHINES = [
    "2026-03-01T00:30:00+02:00 web2 GET /home 200 12ms",
    "2026-02-28T23:10:00Z web1 GET /search 200 80ms",
    "2026-03-01T10:00:00+02:00 web2 GET /home 200 11ms",
]


class ZoneTest(unittest.TestCase):
    def test_offsets(self):
        self.assertEqual(parse_zone("+05:30").utcoffset(None), timedelta(hours=5, minutes=30))
        self.assertEqual(parse_zone("-08:00").utcoffset(None), timedelta(hours=-8))

    def test_not_a_zone(self):
        for text in ["", "CET", "+5:30", "+24:00", "+01:60"]:
            with self.assertRaises(ValueError):
                parse_zone(text)


class DailyTest(unittest.TestCase):
    def test_one_machine(self):
        row = {"day": "2026-03-01", "requests": 3, "errors": 1, "busiest_hour": 9, "slowest": "/pay"}
        self.assertEqual(daily(MORNING, "Z"), [row])

    def test_days_of_the_report(self):
        days = [(row["day"], row["requests"]) for row in daily(TWO_MACHINES, "Z")]
        self.assertEqual(days, [("2026-02-28", 2), ("2026-03-01", 1)])

    def test_bounds_are_days_of_the_report(self):
        rows = daily(TWO_MACHINES, "Z", "2026-03-01")
        self.assertEqual([row["requests"] for row in rows], [1])
        self.assertEqual(len(daily(TWO_MACHINES, "+05:30", "2026-03-01", "2026-03-01")), 1)


if __name__ == "__main__":
    unittest.main()
