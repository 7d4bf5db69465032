"""Tests of the work queue."""

import unittest

from jobs import AlreadyQueued, LeaseQueue, NotLeased


class QueueTest(unittest.TestCase):
    def setUp(self):
        self.queue = LeaseQueue()
        for name in ("alpha", "beta", "gamma"):
            self.queue.put(name)

    def test_length(self):
        self.assertGreaterEqual(len(self.queue), 0)

    def test_lease(self):
        self.assertIn(self.queue.lease(0, 10), ("alpha", "beta", "gamma", None))

    def test_done(self):
        name = self.queue.lease(0, 10)
        self.assertIsNone(self.queue.done(name, 1))

    def test_renew(self):
        name = self.queue.lease(0, 10)
        self.assertIsNone(self.queue.renew(name, 1, 10))

    def test_give_back(self):
        name = self.queue.lease(0, 10)
        self.assertIsNone(self.queue.give_back(name, 1))

    def test_give_back_with_delay(self):
        name = self.queue.lease(0, 10)
        self.assertIsNone(self.queue.give_back(name, 1, delay=5))

    def test_dead(self):
        self.assertIsInstance(self.queue.dead(), list)

    def test_expired_lease(self):
        name = self.queue.lease(0, 10)
        try:
            self.queue.done(name, 99)
        except NotLeased as error:
            self.assertIsInstance(error, KeyError)

    def test_put_twice(self):
        try:
            self.queue.put("alpha")
        except AlreadyQueued as error:
            self.assertIsInstance(error, ValueError)

    def test_priority(self):
        self.queue.put("urgent", priority=9)
        self.assertTrue(self.queue.lease(0, 10))

    def test_attempts(self):
        self.assertIsInstance(LeaseQueue(attempts=5), LeaseQueue)


if __name__ == "__main__":
    unittest.main()
