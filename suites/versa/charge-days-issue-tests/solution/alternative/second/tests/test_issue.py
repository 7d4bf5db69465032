"""Days of charges, against the rules of the docstrings: some by hand, many against a model that counts days one by one."""

import unittest
from collections.abc import Sequence
from datetime import date, timedelta

from billing import PLANS, charges, next_charge

STEPS = {"monthly": 1, "quarterly": 3, "yearly": 12}
ONE = timedelta(1)
Days = list[date]


def days(*texts: str) -> Days:
    return [date.fromisoformat(text) for text in texts]


def model(start: date, plan: str, count: int) -> Days:
    """All days of charges without pauses: the wanted day of a month, less what the month lacks, and on to a working day."""
    found = []
    year, month = start.year, start.month
    for _ in range(count):
        wanted = start.day
        while True:
            try:
                day = date(year, month, wanted)
            except ValueError:
                wanted -= 1
            else:
                break
        while day.isoweekday() in (6, 7):
            day += ONE
        found.append(day)
        month += STEPS[plan]
        while month > 12:
            year, month = year + 1, month - 12
    return found


class ByHandTest(unittest.TestCase):
    def test_the_issue(self) -> None:
        expected = days("2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-06-02", "2025-06-30", "2025-07-31", "2025-09-01", "2025-09-30")
        self.assertEqual(charges(date(2025, 1, 31), "monthly", 9), expected)

    def test_leap_day(self) -> None:
        expected = days("2024-02-29", "2025-02-28", "2026-03-02", "2027-03-01", "2028-02-29", "2029-02-28")
        self.assertEqual(charges(date(2024, 2, 29), "yearly", 6), expected)
        self.assertEqual(next_charge(date(2024, 2, 29), "yearly", date(2027, 3, 1)), date(2028, 2, 29))

    def test_quarters(self) -> None:
        expected = days("2024-11-29", "2025-02-28", "2025-05-29", "2025-08-29", "2025-12-01", "2026-03-02", "2026-05-29")
        self.assertEqual(charges(date(2024, 11, 29), "quarterly", 7), expected)
        expected = days("2025-01-31", "2025-04-30", "2025-07-31", "2025-10-31", "2026-02-02", "2026-04-30", "2026-07-31")
        self.assertEqual(charges(date(2025, 1, 31), "quarterly", 7), expected)

    def test_weekends_change_no_other_day(self) -> None:
        expected = days("2025-01-06", "2025-02-04", "2025-03-04", "2025-04-04", "2025-05-05", "2025-06-04", "2025-07-04", "2025-08-04")
        self.assertEqual(charges(date(2025, 1, 4), "monthly", 8), expected)  # begins on a Saturday
        self.assertEqual(charges(date(2025, 1, 5), "monthly", 3), days("2025-01-06", "2025-02-05", "2025-03-05"))  # on a Sunday

    def test_start_moves_into_the_next_month(self) -> None:
        self.assertEqual(charges(date(2025, 5, 31), "monthly", 4), days("2025-06-02", "2025-06-30", "2025-07-31", "2025-09-01"))
        self.assertEqual(charges(date(2025, 8, 31), "yearly", 3), days("2025-09-01", "2026-08-31", "2027-08-31"))
        self.assertEqual(charges(date(2022, 12, 31), "monthly", 3), days("2023-01-02", "2023-01-31", "2023-02-28"))

    def test_two_charges_in_one_month(self) -> None:
        # the 30th of November 2025 is a Sunday: December has two
        self.assertEqual(charges(date(2025, 10, 30), "monthly", 4), days("2025-10-30", "2025-12-01", "2025-12-30", "2026-01-30"))
        self.assertEqual(next_charge(date(2025, 10, 30), "monthly", date(2025, 11, 30)), date(2025, 12, 1))
        self.assertEqual(next_charge(date(2025, 10, 30), "monthly", date(2025, 12, 1)), date(2025, 12, 30))

    def test_next_charge(self) -> None:
        start = date(2025, 1, 31)
        for after, expected in (
            ("2020-01-01", "2025-01-31"),
            ("2025-01-30", "2025-01-31"),
            ("2025-01-31", "2025-02-28"),
            ("2025-02-27", "2025-02-28"),
            ("2025-02-28", "2025-03-31"),
            ("2025-03-28", "2025-03-31"),
            ("2025-05-31", "2025-06-02"),
            ("2025-06-01", "2025-06-02"),
            ("2025-06-02", "2025-06-30"),
        ):
            with self.subTest(after=after):
                self.assertEqual(next_charge(start, "monthly", date.fromisoformat(after)), date.fromisoformat(expected))

    def test_next_charge_before_a_start_on_a_weekend(self) -> None:
        for after in days("2025-01-01", "2025-01-03", "2025-01-04", "2025-01-05"):
            self.assertEqual(next_charge(date(2025, 1, 4), "monthly", after), date(2025, 1, 6))
        self.assertEqual(next_charge(date(2025, 1, 4), "monthly", date(2025, 1, 6)), date(2025, 2, 4))

    def test_counts_and_plans(self) -> None:
        self.assertEqual(PLANS, STEPS)
        self.assertEqual(charges(date(2025, 1, 31), "monthly", 0), [])
        self.assertEqual(charges(date(2025, 1, 31), "yearly", 1), days("2025-01-31"))
        with self.assertRaises(KeyError):
            charges(date(2025, 1, 31), "weekly", 2)
        with self.assertRaises(KeyError):
            next_charge(date(2025, 1, 31), "weekly", date(2025, 1, 1))


class PausesTest(unittest.TestCase):
    START = date(2025, 1, 31)

    def check(self, start: date, plan: str, pauses: Sequence[tuple[date, date]], *expected: str) -> None:
        wanted = days(*expected)
        self.assertEqual(charges(start, plan, len(wanted), pauses), wanted)
        self.assertEqual(next_charge(start, plan, start - 30 * ONE, pauses), wanted[0])
        for one, following in zip(wanted, wanted[1:]):
            for after in (one, one + ONE, following - ONE):
                self.assertEqual(next_charge(start, plan, after, pauses), following)

    def test_first_and_last_day_of_a_pause(self) -> None:
        day = date(2025, 2, 28)
        rest = ("2025-01-31", "2025-03-31", "2025-04-30", "2025-06-02")
        whole = ("2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30")
        for first, last in ((day, day), (day - ONE, day), (day, day + ONE), (day - 20 * ONE, day + 20 * ONE)):
            self.check(self.START, "monthly", [(first, last)], *rest)
        for first, last in ((day - 5 * ONE, day - ONE), (day + ONE, day + 5 * ONE)):
            self.check(self.START, "monthly", [(first, last)], *whole)

    def test_the_moved_day_counts(self) -> None:
        # the 31st of May 2025 is a Saturday, and the charge is on Monday, the 2nd of June
        saturday, monday = date(2025, 5, 31), date(2025, 6, 2)
        self.check(self.START, "quarterly", [(date(2026, 1, 31), date(2026, 2, 1))], "2025-01-31", "2025-04-30", "2025-07-31", "2025-10-31", "2026-02-02")
        self.check(self.START, "quarterly", [(date(2026, 2, 2), date(2026, 2, 2))], "2025-01-31", "2025-04-30", "2025-07-31", "2025-10-31", "2026-04-30")
        self.check(saturday, "monthly", [(saturday, saturday + ONE)], "2025-06-02", "2025-06-30", "2025-07-31")
        self.check(saturday, "monthly", [(monday, monday)], "2025-06-30", "2025-07-31", "2025-09-01")

    def test_several_pauses(self) -> None:
        pauses = (
            (date(2025, 6, 30), date(2025, 9, 1)),
            (date(2025, 1, 1), date(2025, 2, 1)),
            (date(2025, 3, 30), date(2025, 4, 1)),
            (date(2025, 3, 31), date(2025, 3, 31)),
        )
        self.check(self.START, "monthly", pauses, "2025-02-28", "2025-04-30", "2025-06-02", "2025-09-30", "2025-10-31", "2025-12-01")
        self.check(self.START, "monthly", list(pauses), "2025-02-28", "2025-04-30", "2025-06-02", "2025-09-30", "2025-10-31", "2025-12-01")

    def test_pause_does_not_move_the_leap_day(self) -> None:
        self.check(date(2024, 2, 29), "yearly", [(date(2025, 1, 1), date(2027, 12, 31))], "2024-02-29", "2028-02-29", "2029-02-28")
        self.check(date(2024, 2, 29), "yearly", [(date(2028, 2, 29), date(2028, 2, 29))], "2024-02-29", "2025-02-28", "2026-03-02", "2027-03-01", "2029-02-28")


class ModelTest(unittest.TestCase):
    def test_every_start(self) -> None:
        for plan, count in (("monthly", 30), ("quarterly", 14), ("yearly", 9)):
            for offset in range(4 * 366):
                start = date(2023, 1, 1) + offset * ONE
                expected = model(start, plan, count)
                if charges(start, plan, count) != expected:
                    self.assertEqual(charges(start, plan, count), expected, f"{plan} from {start}")

    def test_every_next(self) -> None:
        for plan, count in (("monthly", 16), ("quarterly", 6), ("yearly", 5)):
            for offset in range(0, 3 * 366, 1):
                start = date(2024, 1, 1) + offset * ONE
                expected = model(start, plan, count)
                for before, following in zip([start - 3 * ONE, *expected], expected):
                    for after in {before, following - ONE}:
                        got = next_charge(start, plan, after)
                        if got != following:
                            self.assertEqual(got, following, f"{plan} from {start}, after {after}")

    def test_the_long_run(self) -> None:
        for text in ("2000-01-31", "2024-02-29", "2023-12-30", "2023-10-29", "1999-08-31", "2025-01-04", "2022-07-31", "2023-06-15"):
            start = date.fromisoformat(text)
            for plan in STEPS:
                count = 4800 // STEPS[plan]
                expected = model(start, plan, count)
                got = charges(start, plan, count)
                self.assertEqual(len(got), count)
                for number, (one, other) in enumerate(zip(got, expected)):
                    if one != other:
                        self.fail(f"{plan} from {start}: number {number} is {one}, not {other}")
                for place in (count // 2, count - 2):
                    self.assertEqual(next_charge(start, plan, expected[place]), expected[place + 1])

    def test_pauses_of_all_sizes(self) -> None:
        for text in ("2025-01-31", "2024-02-29", "2025-01-04", "2025-05-31"):
            start = date.fromisoformat(text)
            for plan in STEPS:
                every = model(start, plan, 30)
                for place in range(8):
                    for early, late in ((0, 0), (-3, -1), (1, 3), (-2, 2), (-40, 40), (-100, 0), (0, 400)):
                        pauses = [(every[place] + early * ONE, every[place] + late * ONE)]
                        left = [day for day in every if not pauses[0][0] <= day <= pauses[0][1]][:8]
                        self.assertEqual(charges(start, plan, 8, pauses), left, f"{plan} from {start}, {pauses}")
                        for one, following in zip(left, left[1:]):
                            self.assertEqual(next_charge(start, plan, one, pauses), following, f"{plan} from {start}, {pauses}")


if __name__ == "__main__":
    unittest.main()
