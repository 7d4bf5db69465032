"""Tests of the door."""

import unittest

from gate.door import Door


class DoorTest(unittest.TestCase):
    def run_through(self, *events):
        door = Door()
        return [door.handle(event) for event in events], door.describe()

    def test_a_car(self):
        done = ["open", "start timer", "close", "none"]
        self.assertEqual(self.run_through("car", "opened", "timer", "closed"), (done, "closed"))

    def test_alarm(self):
        done = ["open", "none", "start timer", "sound alarm", "ignored"]
        self.assertEqual(self.run_through("car", "block", "opened", "timer", "reset"), (done, "ALARM, open, blocked"))

    def test_table(self):
        from gate.door import TRANSITIONS, State

        door = Door()
        self.assertIsInstance(door.state, State)
        self.assertEqual(TRANSITIONS[door.state, "car"][1], "open")


if __name__ == "__main__":
    unittest.main()
