"""Tests of the opening hours, by their documented behaviour only."""

import unittest

from hours import BadHours, Week


def minute(text):
    hours, minutes = text.split(":")
    return 60 * int(hours) + int(minutes)


def open_days(text, at="12:00"):
    week = Week(text)
    return [day for day in range(7) if week.is_open(day, minute(at))]


class DaysTest(unittest.TestCase):
    def test_single_days_and_ranges(self):
        self.assertEqual(open_days("Mo,We 8:00-17:00"), [0, 2])
        self.assertEqual(open_days("Tu-Th,Su 08:00-17:00"), [1, 2, 3, 6])
        self.assertEqual(open_days("Mo-Su 8:00-17:00"), list(range(7)))

    def test_ranges_over_the_end_of_the_week(self):
        self.assertEqual(open_days("Sa-Mo 8:00-17:00"), [0, 5, 6])
        self.assertEqual(open_days("Fr-Tu 8:00-17:00"), [0, 1, 4, 5, 6])

    def test_a_range_of_one_day(self):
        self.assertEqual(open_days("We-We 8:00-17:00"), [2])

    def test_later_rules_replace(self):
        self.assertEqual(open_days("Mo-Fr 8:00-17:00; We off"), [0, 1, 3, 4])
        week = Week("Mo-Tu 8:00-9:00; Mo 10:00-11:00")
        self.assertFalse(week.is_open(0, minute("8:30")))
        self.assertTrue(week.is_open(0, minute("10:30")))
        self.assertTrue(week.is_open(1, minute("8:30")))
        self.assertEqual(open_days("Mo off; Mo 8:00-17:00"), [0])


class TimesTest(unittest.TestCase):
    def test_borders(self):
        week = Week("Mo 8:05-12:00,13:00-17:30")
        for text, expected in (
            ("8:04", False),
            ("8:05", True),
            ("11:59", True),
            ("12:00", False),
            ("12:59", False),
            ("13:00", True),
            ("17:29", True),
            ("17:30", False),
        ):
            self.assertEqual(week.is_open(0, minute(text)), expected, text)
        self.assertFalse(week.is_open(1, minute("9:00")))

    def test_over_midnight(self):
        week = Week("Sa 22:00-2:00; Su off")
        for day, text, expected in (
            (5, "21:59", False),
            (5, "22:00", True),
            (5, "23:59", True),
            (6, "0:00", True),
            (6, "1:59", True),
            (6, "2:00", False),
            (5, "1:00", False),
            (6, "23:00", False),
        ):
            self.assertEqual(week.is_open(day, minute(text)), expected, (day, text))

    def test_from_sunday_to_monday(self):
        week = Week("Su 22:00-2:00")
        self.assertTrue(week.is_open(0, minute("1:59")))
        self.assertFalse(week.is_open(0, minute("2:00")))

    def test_midnight_as_an_end(self):
        week = Week("Mo 0:00-24:00")
        self.assertTrue(week.is_open(0, 0) and week.is_open(0, 1439))
        self.assertFalse(week.is_open(1, 0))
        self.assertTrue(Week("Mo 20:00-0:00").is_open(0, 1439))
        self.assertFalse(Week("Mo 20:00-0:00").is_open(1, 0))

    def test_open_minutes(self):
        self.assertEqual(Week("Mo 8:00-10:00,9:00-11:00,12:00-12:01").open_minutes(0), 181)
        week = Week("Sa 22:00-2:00; Su 1:00-3:00")
        self.assertEqual([week.open_minutes(day) for day in (4, 5, 6)], [0, 120, 180])
        self.assertEqual(Week("Mo 0:00-24:00").open_minutes(0), 1440)


class ChangeTest(unittest.TestCase):
    def test_next_change(self):
        week = Week("Mo 8:00-12:00")
        self.assertEqual(week.next_change(0, minute("7:00")), 60)
        self.assertEqual(week.next_change(0, minute("8:00")), 240)
        self.assertEqual(week.next_change(0, minute("11:59")), 1)
        self.assertEqual(week.next_change(0, minute("12:00")), 6 * 1440 + 20 * 60)
        self.assertEqual(week.next_change(6, minute("23:59")), 8 * 60 + 1)

    def test_it_goes_on_over_midnight(self):
        self.assertEqual(Week("Mo-Tu 0:00-24:00").next_change(0, minute("12:00")), 36 * 60)

    def test_a_single_closed_minute(self):
        week = Week("Mo-Su 0:00-24:00; We 0:00-23:59")
        self.assertEqual(week.next_change(2, 1439), 1)
        self.assertEqual(week.next_change(3, 0), 7 * 1440 - 1)

    def test_never(self):
        self.assertIsNone(Week("").next_change(3, 5))
        self.assertIsNone(Week("Mo-Su 0:00-24:00").next_change(3, 5))


class ErrorsTest(unittest.TestCase):
    def test_malformed(self):
        for text in (
            "Mo", "8:00-9:00", "mo 8:00-9:00", "Mo-Tu-We 8:00-9:00", "Mo- 8:00-9:00", "Mo, 8:00-9:00", "Mo 8:00", "Mo 8:00-9:00,", "Mo 8-9",
            "Mo 8:0-9:00", "Mo 8:60-9:00", "Mo 8:00-9:60", "Mo 24:00-3:00", "Mo 8:00-24:01", "Mo 25:00-3:00", "Mo 8:00-8:00", "Mo 0:00-0:00", "Mo Off", "Mo 8:00-9:00 Tu 8:00-9:00", "Xx 8:00-9:00",
        ):  # fmt: skip
            with self.assertRaises(BadHours, msg=text):
                Week(text)
        self.assertTrue(issubclass(BadHours, ValueError))

    def test_spaces_and_empty_rules(self):
        self.assertEqual(open_days(" ;  Mo 8:00-17:00 ;; Tu 8:00-17:00;"), [0, 1])

    def test_out_of_range(self):
        week = Week("Mo-Su 0:00-24:00")
        for day, at in ((-1, 0), (7, 0), (0, -1), (0, 1440)):
            with self.assertRaises(IndexError):
                week.is_open(day, at)
            with self.assertRaises(IndexError):
                week.next_change(day, at)
        for day in (-1, 7):
            with self.assertRaises(IndexError):
                week.open_minutes(day)


if __name__ == "__main__":
    unittest.main()
