"""Tests of the parcels: what the docstrings promise, way by way, and then along many ways that chance finds."""

import random
import unittest
from datetime import date, timedelta

from post import NotAllowed, Parcel

START = date(2024, 2, 20)  # the days from here on lead over the end of a leap year's February
EVENTS = ("arrive", "load", "deliver", "hold", "release", "lose", "find")

# One way into each state, and the events that are allowed there.
WAYS = {
    "announced": ("", "arrive"),
    "depot": ("arrive 0", "load hold lose"),
    "van": ("arrive 0, load 0", "arrive deliver lose"),
    "held": ("arrive 0, hold 0", "deliver release lose"),
    "lost": ("arrive 0, lose 0", "find"),
    "delivered": ("arrive 0, load 0, deliver 0", ""),
}
FAILED = "load 0, arrive 0"  # one attempt, from the depot
TURNED = f"arrive 0, {FAILED}, {FAILED}, {FAILED}"


def on(number):
    """The day so many days after the start."""
    return START + timedelta(number)


def go(parcel, way):
    """Lets a parcel go a way: events with the number of their days."""
    for step in filter(None, way.split(", ")):
        event, number = step.split()
        getattr(parcel, event)(on(int(number)))
    return parcel


def sent(way=""):
    return go(Parcel(START), way)


def seen(parcel):
    """All that can be seen of a parcel."""
    return parcel.state, parcel.returning, parcel.attempts_left(), parcel.history


class ParcelCase(unittest.TestCase):
    def check(self, parcel, state, returning, left):
        self.assertEqual((parcel.state, parcel.returning, parcel.attempts_left()), (state, returning, left))

    def refused(self, parcel, step, error=NotAllowed):
        """An event is refused, and nothing of it can be seen."""
        before = seen(parcel)
        with self.assertRaises(error, msg=step):
            go(parcel, step)
        self.assertEqual(seen(parcel), before, step)


class StatesTest(ParcelCase):
    def test_new(self):
        parcel = sent()
        self.check(parcel, "announced", False, 3)
        self.assertEqual(parcel.history, [(START, "announced")])

    def test_ways_into_the_states(self):
        for state, (way, _allowed) in WAYS.items():
            with self.subTest(state=state):
                self.check(sent(way), state, False, 0 if state == "delivered" else 3)

    def test_what_each_event_leads_to(self):
        for way, state in (
            ("arrive 1", "depot"),
            ("arrive 1, load 2", "van"),
            ("arrive 1, load 2, arrive 2", "depot"),
            ("arrive 1, load 2, deliver 2", "delivered"),
            ("arrive 1, hold 2", "held"),
            ("arrive 1, hold 2, release 2", "depot"),
            ("arrive 1, hold 2, deliver 2", "delivered"),
            ("arrive 1, load 2, lose 2", "lost"),
            ("arrive 1, hold 2, lose 2", "lost"),
            ("arrive 1, hold 2, release 3, load 3", "van"),
            ("arrive 1, hold 2, release 3, hold 3", "held"),
        ):
            with self.subTest(way=way):
                self.assertEqual(sent(way).state, state)

    def test_events_that_are_not_allowed(self):
        for state, (way, allowed) in WAYS.items():
            for event in EVENTS:
                with self.subTest(state=state, event=event):
                    if event in allowed.split():
                        go(sent(way), f"{event} 0")
                    else:
                        self.refused(sent(way), f"{event} 0")
                        self.refused(sent(way), f"{event} 30")

    def test_refused_events_leave_no_day_behind(self):
        for state, (way, allowed) in WAYS.items():
            for event in set(EVENTS) - set(allowed.split()):
                for next_event in allowed.split():
                    with self.subTest(state=state, event=event, then=next_event):
                        parcel = sent(way)
                        self.refused(parcel, f"{event} 30")
                        go(parcel, f"{next_event} 2")
                        self.assertEqual(parcel.history[-1][0], on(2))

    def test_parcels_have_nothing_in_common(self):
        one, other = sent(TURNED), sent()
        self.check(other, "announced", False, 3)
        self.assertEqual(other.history, [(START, "announced")])
        self.check(one, "depot", True, 3)


class DaysTest(ParcelCase):
    def test_days_before_the_event_before(self):
        for state, (way, allowed) in WAYS.items():
            late = way.replace(" 0", " 9")
            for event in allowed.split():
                with self.subTest(state=state, event=event):
                    first = 9 if late else 0
                    parcel = sent(late)
                    self.refused(parcel, f"{event} {first - 1}", ValueError)
                    go(parcel, f"{event} {first}")
                    self.assertEqual(parcel.history[-1][0], on(first))

    def test_each_event_is_one_to_be_after(self):
        parcel = sent()
        for number, event in enumerate("arrive load arrive hold lose find release lose find load lose find load deliver".split(), 1):
            self.refused(parcel, f"{event} {number - 2}", ValueError)
            go(parcel, f"{event} {number}")
        self.assertEqual([day for day, _state in parcel.history], [on(number) for number in range(15)])

    def test_attempt_on_a_wrong_day_is_none(self):
        parcel = sent(f"arrive 5, {FAILED.replace('0', '5')}, {FAILED.replace('0', '5')}, load 6")
        for _ in range(4):
            self.refused(parcel, "arrive 5", ValueError)
        self.check(go(parcel, "arrive 6"), "depot", True, 3)

    def test_hold_and_release_on_wrong_days(self):
        parcel = sent("arrive 9")
        self.refused(parcel, "hold 1", ValueError)
        go(parcel, "hold 10")
        self.refused(parcel, "release 9", ValueError)
        self.check(go(parcel, "release 17"), "depot", False, 3)

    def test_lose_and_find_on_wrong_days(self):
        parcel = sent("arrive 1, load 5")
        self.refused(parcel, "lose 4", ValueError)
        go(parcel, "arrive 5, hold 6, lose 7")
        self.refused(parcel, "find 6", ValueError)
        self.check(go(parcel, "find 7"), "held", False, 2)


class AttemptsTest(ParcelCase):
    def test_three_failed_attempts(self):
        parcel = sent("arrive 0")
        for returning, left in ((False, 2), (False, 1), (True, 3), (True, 2), (True, 1), (True, 3), (True, 2), (True, 1), (True, 3)):
            go(parcel, "load 1")
            before = parcel.returning, parcel.attempts_left()
            self.assertEqual(parcel.state, "van")
            go(parcel, "arrive 1")
            self.check(parcel, "depot", returning, left)
            self.assertNotEqual((parcel.returning, parcel.attempts_left()), before)

    def test_loading_is_no_attempt(self):
        self.check(sent("arrive 0, load 0"), "van", False, 3)
        self.check(sent(f"arrive 0, {FAILED}, {FAILED}, load 0"), "van", False, 1)

    def test_nothing_is_left_of_a_delivered_parcel(self):
        for way in ("load 0", f"{FAILED}, load 0", f"{FAILED}, hold 0", "hold 0", "hold 0, lose 0, find 0"):
            with self.subTest(way=way):
                self.check(sent(f"arrive 0, {way}, deliver 0"), "delivered", False, 0)
        self.check(sent(f"{TURNED}, {FAILED}, load 0, deliver 0"), "delivered", True, 0)

    def test_short_keeping_forgets_no_attempt(self):
        parcel = sent(f"arrive 0, {FAILED}, {FAILED}, hold 0")
        self.check(parcel, "held", False, 1)
        self.check(go(parcel, "release 7"), "depot", False, 1)
        self.check(go(parcel, "load 7, arrive 7"), "depot", True, 3)

    def test_losing_is_no_attempt_and_forgets_none(self):
        for number in range(3):
            for way in ("load 0, lose 0", "lose 0", "hold 0, lose 0"):
                with self.subTest(number=number, way=way):
                    parcel = sent(", ".join(["arrive 0"] + [FAILED] * number + [way]))
                    self.check(parcel, "lost", False, 3 - number)
                    go(parcel, "find 3")
                    self.assertEqual((parcel.returning, parcel.attempts_left()), (False, 3 - number))

    def test_attempts_around_all_else(self):
        parcel = sent("arrive 0, load 0, arrive 0, hold 0, release 1, load 1, lose 1, find 2, load 2, arrive 2, lose 2, find 2")
        self.check(parcel, "depot", False, 1)
        self.check(go(parcel, "load 3, arrive 3"), "depot", True, 3)

    def test_refused_arrival_is_no_attempt(self):
        parcel = sent(f"arrive 0, {FAILED}, {FAILED}")
        for _ in range(3):
            self.refused(parcel, "arrive 0")
        self.check(go(parcel, "load 0"), "van", False, 1)


class ReturningTest(ParcelCase):
    def test_the_same_way_once_more(self):
        self.check(sent(f"{TURNED}, load 0, deliver 0"), "delivered", True, 0)
        self.check(sent(f"{TURNED}, load 0, lose 0"), "lost", True, 3)
        self.check(sent(f"{TURNED}, {FAILED}, load 0, lose 0, find 0"), "depot", True, 2)
        self.check(sent(f"{TURNED}, {FAILED}, lose 0, find 0"), "depot", True, 2)

    def test_is_not_kept(self):
        for way in (TURNED, f"{TURNED}, {FAILED}, {FAILED}, {FAILED}", "arrive 0, hold 0, release 8", f"{TURNED}, load 0, lose 0, find 0"):
            with self.subTest(way=way):
                parcel = sent(way)
                self.refused(parcel, "hold 9")
                self.refused(parcel, "deliver 9")
                self.refused(parcel, "release 9")
                self.check(go(parcel, "load 9, deliver 9"), "delivered", True, 0)

    def test_other_refusals(self):
        for way, allowed in (("", "load lose"), (", load 0", "arrive deliver lose"), (", lose 0", "find"), (", load 0, deliver 0", "")):
            for event in set(EVENTS) - set(allowed.split()):
                with self.subTest(way=way, event=event):
                    self.refused(sent(TURNED + way), f"{event} 0")

    def test_parcels_that_were_tried_twice_can_still_be_kept(self):
        self.check(sent(f"arrive 0, {FAILED}, {FAILED}, hold 0, deliver 0"), "delivered", False, 0)


class KeptTest(ParcelCase):
    def test_border(self):
        for days, returning in ((0, False), (6, False), (7, False), (8, True), (9, True), (400, True)):
            with self.subTest(days=days):
                self.check(sent(f"arrive 2, hold 5, release {5 + days}"), "depot", returning, 3)

    def test_attempts_begin_anew(self):
        parcel = sent(f"arrive 0, {FAILED}, {FAILED}, hold 0")
        self.check(go(parcel, "release 8"), "depot", True, 3)
        for left in (2, 1, 3):
            self.check(go(parcel, "load 8, arrive 8"), "depot", True, left)

    def test_fetched_late(self):
        parcel = sent("arrive 0, hold 0")
        self.check(go(parcel, "deliver 50"), "delivered", False, 0)

    def test_each_keeping_counts_for_itself(self):
        parcel = sent("arrive 0, hold 0, release 5, hold 6, release 13")
        self.check(parcel, "depot", False, 3)
        self.check(go(parcel, "hold 30, release 37"), "depot", False, 3)
        self.check(go(parcel, "hold 37, release 45"), "depot", True, 3)

    def test_days_in_the_depot_or_van_do_not_count(self):
        self.check(sent("arrive 0, load 10, arrive 20, hold 30, release 37"), "depot", False, 2)
        self.check(sent("arrive 0, lose 0, find 20, hold 20, release 27"), "depot", False, 3)
        self.check(sent("arrive 0, hold 0, release 1, lose 1, find 20, hold 21, release 28"), "depot", False, 3)

    def test_lost_while_held(self):
        for way, returning in (
            ("lose 1, find 2, release 7", False),
            ("lose 1, find 7, release 7", False),
            ("lose 1, find 7, release 8", True),
            ("lose 1, find 8, release 8", True),
            ("lose 0, find 20, release 20", True),
            ("lose 7, find 7, release 8", True),
            ("lose 1, find 3, lose 4, find 6, release 7", False),
            ("lose 1, find 3, lose 4, find 6, release 8", True),
        ):
            with self.subTest(way=way):
                self.check(sent(f"arrive 0, {FAILED}, hold 0, {way}"), "depot", returning, 3 if returning else 2)

    def test_after_a_loss_it_counts_anew(self):
        parcel = sent("arrive 0, hold 0, lose 1, find 3, release 4, hold 20, lose 21, find 22")
        self.check(go(parcel, "release 27"), "depot", False, 3)

    def test_refused_events_do_not_count(self):
        parcel = sent("arrive 0, hold 0")
        for event in ("hold", "load", "arrive", "find"):
            self.refused(parcel, f"{event} 5")
        self.check(go(parcel, "release 8"), "depot", True, 3)
        parcel = sent(f"arrive 0, {FAILED}, hold 0, release 1")
        self.refused(parcel, "release 30")
        self.check(parcel, "depot", False, 2)
        self.refused(parcel, "find 30")
        self.check(go(parcel, "hold 2, release 9"), "depot", False, 2)


class LostTest(ParcelCase):
    def test_found_where_it_was(self):
        for way, state in (("", "depot"), (", load 0", "depot"), (", hold 0", "held"), (f", {FAILED}", "depot"), (", hold 0, release 0", "depot")):
            with self.subTest(way=way):
                self.check(sent(f"arrive 0{way}, lose 1, find 2"), state, False, 2 if way == f", {FAILED}" else 3)

    def test_the_state_of_each_loss(self):
        places = {"depot": "", "van": "load 0", "held": "hold 0"}
        back = {"depot": "", "held": "release 0"}
        for first in places:
            for second in places:
                with self.subTest(first=first, second=second):
                    parcel = sent("arrive 0")
                    for place in (first, second):
                        found = "held" if place == "held" else "depot"
                        go(parcel, places[place])
                        self.check(go(parcel, "lose 0, find 0"), found, False, 3)
                        go(parcel, back[found])

    def test_what_is_allowed_then(self):
        for way, allowed in (("", "load hold lose"), (", load 0", "load hold lose"), (", hold 0", "deliver release lose")):
            for event in EVENTS:
                with self.subTest(way=way, event=event):
                    parcel = sent(f"arrive 0{way}, lose 0, find 0")
                    if event in allowed.split():
                        go(parcel, f"{event} 0")
                    else:
                        self.refused(parcel, f"{event} 0")

    def test_lost_once_only(self):
        for way, state in (("", "depot"), (", load 0", "depot"), (", hold 0", "held")):
            with self.subTest(way=way):
                parcel = sent(f"arrive 0{way}, lose 0")
                for event in set(EVENTS) - {"find"}:
                    self.refused(parcel, f"{event} 0")
                self.assertEqual(go(parcel, "find 0").state, state)
                self.refused(parcel, "find 0")

    def test_a_loss_that_was_refused(self):
        parcel = sent()
        self.refused(parcel, "lose 0")
        self.check(go(parcel, "arrive 0, hold 0, lose 0, find 0"), "held", False, 3)


class HistoryTest(ParcelCase):
    def test_days_and_states(self):
        parcel = sent("arrive 1, load 2, arrive 2, hold 3, lose 4, find 6, release 7, load 8, lose 9, find 10, load 10, deliver 11")
        states = "announced depot van depot held lost held depot van lost depot van delivered".split()
        days = [0, 1, 2, 2, 3, 4, 6, 7, 8, 9, 10, 10, 11]
        self.assertEqual(parcel.history, [(on(day), state) for day, state in zip(days, states, strict=True)])

    def test_turning_round_is_no_state(self):
        self.assertEqual([state for _day, state in sent(TURNED).history], ["announced", "depot"] + ["van", "depot"] * 3)
        kept = sent("arrive 1, hold 2, release 20")
        self.assertEqual(kept.history[2:], [(on(2), "held"), (on(20), "depot")])

    def test_new_list(self):
        parcel = sent("arrive 1")
        early = parcel.history
        early.append((on(50), "lost"))
        early[0] = (on(40), "van")
        self.assertEqual(parcel.history, [(START, "announced"), (on(1), "depot")])
        parcel.history.clear()
        earlier = parcel.history
        go(parcel, "load 2")
        self.assertEqual(earlier, [(START, "announced"), (on(1), "depot")])
        self.assertEqual(parcel.history, [*earlier, (on(2), "van")])


class Told:
    """A parcel as the docstrings tell of it: what is to be seen after the events that were allowed, worked out from all of them."""

    def __init__(self):
        self.events = []

    def allowed(self):
        state, returning, _left, _history = self.seen()
        events = set(WAYS[state][1].split())
        return events - {"hold"} if returning else events

    def seen(self):
        state, returning, failed, held, lost_in = "announced", False, 0, 0, ""
        history = [(START, state)]
        for event, number in self.events:
            turns = False
            if event == "arrive" and state == "van":
                failed += 1
                turns = failed == 3
            if event == "release":
                turns = number - held > 7
            if event == "hold":
                held = number
            found = "held" if lost_in == "held" else "depot"
            lost_in = state if event == "lose" else lost_in
            state = {"arrive": "depot", "load": "van", "deliver": "delivered", "hold": "held", "release": "depot", "lose": "lost", "find": found}[event]
            history.append((on(number), state))
            if turns:
                returning, failed = True, 0
        return state, returning, 0 if state == "delivered" else 3 - failed, history


class ManyWaysTest(ParcelCase):
    def test_ways_of_chance(self):
        chance = random.Random(20240220)
        for way in range(400):
            parcel, told, day = Parcel(START), Told(), 0
            for _ in range(40):
                event = chance.choice(EVENTS)
                if event == "deliver" and chance.random() < 0.7:
                    continue
                number = day + chance.choice((0, 0, 1, 2, 4, 7, 8))
                if event not in told.allowed():
                    with self.assertRaises(NotAllowed, msg=(way, told.events, event)):
                        go(parcel, f"{event} {number}")
                elif chance.random() < 0.1:
                    with self.assertRaises(ValueError, msg=(way, told.events, event)):
                        go(parcel, f"{event} {day - 1}")
                else:
                    go(parcel, f"{event} {number}")
                    told.events.append((event, number))
                    day = number
                self.assertEqual(seen(parcel), told.seen(), (way, told.events, event))


if __name__ == "__main__":
    unittest.main()
