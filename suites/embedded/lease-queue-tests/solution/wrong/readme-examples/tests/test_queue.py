"""Tests of the work queue."""

import unittest

from jobs import AlreadyQueued, LeaseQueue, NotLeased


class QueueTest(unittest.TestCase):
    def setUp(self):
        self.queue = LeaseQueue(attempts=2)
        self.queue.put("report")
        self.queue.put("mail", priority=5)
        self.queue.put("backup")

    def test_order(self):
        self.assertEqual([self.queue.lease(0, 60) for _ in range(4)], ["mail", "report", "backup", None])

    def test_done(self):
        self.queue.lease(0, 60)
        self.queue.done("mail", 30)
        self.assertEqual(len(self.queue), 2)

    def test_done_twice(self):
        self.queue.lease(0, 60)
        self.queue.done("mail", 30)
        with self.assertRaises(NotLeased):
            self.queue.done("mail", 31)

    def test_done_too_late(self):
        self.queue.lease(0, 60)
        with self.assertRaises(NotLeased):
            self.queue.done("mail", 90)

    def test_lease_runs_out(self):
        self.queue.lease(0, 60)
        self.assertEqual(self.queue.lease(90, 60), "mail")

    def test_renew(self):
        self.queue.lease(0, 60)
        self.queue.renew("mail", 50, 60)
        self.assertEqual(self.queue.lease(90, 60), "report")

    def test_give_back(self):
        self.queue.lease(0, 60)
        self.queue.give_back("mail", 10)
        self.assertEqual(self.queue.lease(10, 60), "mail")

    def test_give_back_with_delay(self):
        self.queue.lease(0, 60)
        self.queue.give_back("mail", 10, delay=30)
        self.assertEqual(self.queue.lease(20, 60), "report")
        self.assertEqual(self.queue.lease(50, 60), "mail")

    def test_put_twice(self):
        with self.assertRaises(AlreadyQueued):
            self.queue.put("mail")

    def test_dead(self):
        for now in (0, 10):
            self.queue.lease(now, 60)
            self.queue.give_back("mail", now)
        self.assertEqual(self.queue.dead(), ["mail"])
        self.assertEqual(self.queue.lease(20, 60), "report")

    def test_done_job_comes_again(self):
        self.queue.lease(0, 60)
        self.queue.done("mail", 1)
        self.queue.put("mail", priority=5)
        self.assertEqual(self.queue.lease(2, 60), "mail")


if __name__ == "__main__":
    unittest.main()
