"""Tests of the states of a parcel, by their documented behaviour only."""

import unittest
from datetime import date, timedelta

from post import NotAllowed, Parcel

START = date(2026, 2, 25)
EVENTS = ("arrive", "load", "deliver", "hold", "release", "lose", "find")


def day(number):
    return START + timedelta(number)


def parcel(events, number=0):
    made = Parcel(START)
    for event in events.split():
        getattr(made, event)(day(number))
    return made


class ParcelTest(unittest.TestCase):
    def check(self, made, state, returning, left):
        self.assertEqual((made.state, made.returning), (state, returning))

    def test_allowed_events(self):
        for way, returning, allowed in (
            ("", False, "arrive"), ("arrive", False, "load hold lose"), ("arrive load", False, "arrive deliver lose"), ("arrive hold", False, "deliver release lose"),
            ("arrive load deliver", False, ""), ("arrive lose", False, "find"), ("arrive" + " load arrive" * 3, True, "load lose"), ("arrive" + " load arrive" * 3 + " load", True, "arrive deliver lose"),
        ):  # fmt: skip
            for event in EVENTS:
                made = parcel(way)
                before = (made.state, made.returning, made.attempts_left(), made.history)
                self.assertEqual(made.returning, returning)
                if event in allowed.split():
                    getattr(made, event)(day(0))
                else:
                    with self.assertRaises(NotAllowed, msg=(way, event)):
                        getattr(made, event)(day(0))
                    self.assertEqual(made.state, before[0])

    def test_attempts(self):
        made = parcel("arrive")
        self.check(made, "depot", False, 3)
        for left, returning in ((2, False), (1, False), (3, True), (2, True), (1, True), (3, True), (2, True)):
            made.load(day(0))
            made.arrive(day(0))
            self.check(made, "depot", returning, left)
        self.check(parcel("arrive load arrive load deliver"), "delivered", False, 0)
        self.check(Parcel(START), "announced", False, 3)

    def test_keeping_does_not_change_attempts(self):
        made = parcel("arrive load arrive load arrive hold")
        self.check(made, "held", False, 1)
        made.release(day(7))
        self.check(made, "depot", False, 1)
        made.load(day(7))
        made.arrive(day(7))
        self.check(made, "depot", True, 3)

    def test_days_of_keeping(self):
        for number, returning, left in ((0, False, 2), (7, False, 2), (8, True, 3)):
            made = parcel("arrive load arrive hold")
            made.release(day(number))
            self.check(made, "depot", returning, left)
        made = parcel("arrive hold")
        made.release(day(5))
        made.hold(day(6))
        made.release(day(13))
        self.check(made, "depot", False, 3)
        made.hold(day(20))
        made.deliver(day(40))
        self.check(made, "delivered", False, 0)

    def test_lost_and_found(self):
        for way, found in (("arrive", "depot"), ("arrive load", "depot"), ("arrive hold", "held")):
            made = parcel(way)
            made.lose(day(1))
            self.check(made, "lost", False, 3)
            made.find(day(2))
            self.check(made, found, False, 3)
        made = parcel("arrive load lose find load arrive")
        self.check(made, "depot", False, 2)
        made = parcel("arrive load arrive lose find hold lose find release load lose find")
        self.check(made, "depot", False, 2)

    def test_lost_while_held(self):
        made = parcel("arrive hold")
        made.lose(day(1))
        made.find(day(6))
        made.release(day(8))
        self.check(made, "depot", True, 3)

    def test_days(self):
        for way, event in (("", "arrive"), ("arrive", "load"), ("arrive", "hold"), ("arrive", "lose"), ("arrive load", "deliver"), ("arrive hold", "release"), ("arrive lose", "find")):
            made = parcel(way)
            before = (made.state, made.history)
            with self.assertRaises(ValueError):
                getattr(made, event)(day(-1))
            self.assertEqual((made.state, made.history), before)
        made = parcel("arrive")
        made.load(day(5))
        with self.assertRaises(ValueError):
            made.deliver(day(4))
        made.deliver(day(5))

    def test_history(self):
        made = parcel("arrive load lose find lose find")
        made.hold(day(3))
        states = [state for _day, state in made.history]
        self.assertEqual(states, ["announced", "depot", "van", "lost", "depot", "lost", "depot", "held"])
        self.assertEqual([d for d, _state in made.history], [day(0)] * 7 + [day(3)])
        made.history.clear()
        self.assertEqual(len(made.history), 8)
        self.assertEqual(Parcel(day(2)).history, [(day(2), "announced")])


if __name__ == "__main__":
    unittest.main()
