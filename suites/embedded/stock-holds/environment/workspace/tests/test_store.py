"""Examples of holds and lines."""

import unittest

from stock.errors import StateError
from stock.store import Store


class HoldTest(unittest.TestCase):
    def setUp(self):
        self.store = Store(hold_seconds=60)
        self.store.receive("lamp", 5, now=0)

    def test_hold_and_confirm(self):
        ticket = self.store.request("lamp", 3, "Ann", now=10)
        self.assertEqual(self.store.free("lamp", now=20), 2)
        self.store.confirm(ticket, now=30)
        self.assertEqual(self.store.state(ticket, now=200), "sold")
        self.assertEqual(self.store.free("lamp", now=200), 2)

    def test_expired_hold(self):
        ticket = self.store.request("lamp", 3, "Ann", now=10)
        self.assertEqual(self.store.free("lamp", now=100), 5)
        with self.assertRaises(StateError):
            self.store.confirm(ticket, now=100)

    def test_renewed_hold(self):
        ticket = self.store.request("lamp", 3, "Ann", now=10)
        self.store.renew(ticket, now=50)
        self.assertEqual(self.store.state(ticket, now=90), "held")
        self.assertEqual(self.store.state(ticket, now=140), "expired")

    def test_the_line_moves(self):
        self.store.request("lamp", 5, "Ann", now=0)
        second = self.store.request("lamp", 2, "Bo", now=5)
        self.assertEqual(self.store.line("lamp", now=5), [second])
        self.store.cancel(1, now=20)
        self.assertEqual(self.store.state(second, now=20), "held")

    def test_nobody_overtakes(self):
        large = self.store.request("lamp", 10, "Ann", now=0)
        small = self.store.request("lamp", 2, "Bo", now=5)
        self.assertEqual(self.store.line("lamp", now=6), [large, small])
        self.store.receive("lamp", 7, now=10)
        journal = [(0, 1, "waiting"), (5, 2, "waiting"), (10, 1, "held"), (10, 2, "held")]
        self.assertEqual(self.store.journal(now=10), journal)


if __name__ == "__main__":
    unittest.main()
