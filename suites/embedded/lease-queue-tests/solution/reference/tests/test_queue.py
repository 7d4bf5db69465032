"""Tests of the work queue, by its documented behaviour only."""

import unittest

from jobs import AlreadyQueued, LeaseQueue, NotLeased


def filled(*names: str, attempts: int = 3) -> LeaseQueue:
    queue = LeaseQueue(attempts)
    for name in names:
        queue.put(name)
    return queue


def drain(queue: LeaseQueue, now: float) -> list[str]:
    """Everything that can be leased at a moment, in order; the leases last long."""
    names = []
    while (name := queue.lease(now, 1000)) is not None:
        names.append(name)
    return names


class OrderTest(unittest.TestCase):
    def test_first_come_first_served(self):
        self.assertEqual(drain(filled("c", "a", "b"), 0), ["c", "a", "b"])

    def test_greater_priorities_first(self):
        queue = filled("zero")
        for name, priority in (("low", -1), ("high", 5), ("high too", 5), ("one", 1)):
            queue.put(name, priority)
        self.assertEqual(drain(queue, 0), ["high", "high too", "one", "zero", "low"])

    def test_given_back_jobs_keep_their_place(self):
        queue = filled("a", "b", "c")
        queue.lease(0, 10)
        queue.give_back("a", 1)
        self.assertEqual(drain(queue, 1), ["a", "b", "c"])

    def test_run_out_jobs_keep_their_place(self):
        queue = filled("a", "b", "c")
        queue.lease(0, 10)
        self.assertEqual(drain(queue, 10), ["a", "b", "c"])

    def test_nothing_to_take(self):
        queue = LeaseQueue()
        self.assertIsNone(queue.lease(0, 5))
        queue.put("a")
        queue.lease(0, 5)
        self.assertIsNone(queue.lease(1, 5))


class LeaseEndTest(unittest.TestCase):
    def setUp(self):
        self.queue = filled("a")
        self.queue.lease(100, 10)

    def test_lease_is_exclusive_until_its_end(self):
        self.assertIsNone(self.queue.lease(109.5, 10))
        self.assertEqual(self.queue.lease(110, 10), "a")

    def test_done_in_time(self):
        self.queue.done("a", 109.5)
        self.assertEqual(len(self.queue), 0)
        self.assertIsNone(self.queue.lease(200, 10))

    def test_too_late_at_the_end(self):
        for late in (self.queue.done, self.queue.give_back, lambda name, now: self.queue.renew(name, now, 5)):
            with self.assertRaises(NotLeased):
                late("a", 110)
        self.assertEqual(self.queue.lease(110, 5), "a")

    def test_renewed_lease(self):
        self.queue.renew("a", 105, 20)
        self.assertIsNone(self.queue.lease(124.5, 1))
        self.queue.done("a", 124.5)

    def test_renewed_lease_ends(self):
        self.queue.renew("a", 105, 20)
        self.assertEqual(self.queue.lease(125, 1), "a")

    def test_renewing_never_shortens(self):
        self.queue.renew("a", 101, 2)
        self.assertIsNone(self.queue.lease(109.5, 1))
        self.queue.done("a", 109.5)


class NotLeasedTest(unittest.TestCase):
    def test_unknown_waiting_and_finished_jobs(self):
        queue = filled("waiting", "finished")
        queue.lease(0, 5)
        queue.lease(0, 5)
        queue.done("finished", 1)
        queue.give_back("waiting", 1)
        for name in ("unknown", "waiting", "finished"):
            for action in (queue.done, queue.give_back, lambda name, now: queue.renew(name, now, 5)):
                with self.assertRaises(NotLeased):
                    action(name, 1)
        self.assertEqual(len(queue), 1)


class GiveBackTest(unittest.TestCase):
    def test_delay(self):
        queue = filled("a", "b")
        queue.lease(0, 50)
        queue.give_back("a", 10, delay=5)
        self.assertEqual(queue.lease(14.5, 50), "b")
        self.assertIsNone(queue.lease(14.5, 50))
        self.assertEqual(queue.lease(15, 50), "a")

    def test_without_delay_at_once(self):
        queue = filled("a")
        queue.lease(0, 50)
        queue.give_back("a", 10)
        self.assertEqual(queue.lease(10, 50), "a")

    def test_delayed_jobs_count(self):
        queue = filled("a")
        queue.lease(0, 50)
        queue.give_back("a", 10, delay=5)
        self.assertEqual(len(queue), 1)
        with self.assertRaises(AlreadyQueued):
            queue.put("a")


class AttemptsTest(unittest.TestCase):
    def test_the_last_attempt_may_succeed(self):
        queue = filled("a", attempts=2)
        queue.lease(0, 5)
        queue.give_back("a", 1)
        self.assertEqual(queue.lease(1, 5), "a")
        queue.done("a", 2)
        self.assertEqual((len(queue), queue.dead()), (0, []))

    def test_dead_after_the_last_attempt(self):
        queue = filled("a", "b", attempts=2)
        self.assertEqual([queue.lease(0, 5), queue.lease(0, 5)], ["a", "b"])
        queue.give_back("b", 1)
        self.assertEqual(queue.lease(1, 5), "b")
        queue.give_back("b", 2)
        self.assertEqual((queue.dead(), len(queue)), (["b"], 1))
        self.assertEqual(queue.lease(5, 5), "a")
        self.assertIsNone(queue.lease(10, 5))
        self.assertEqual((queue.dead(), len(queue)), (["b", "a"], 0))

    def test_renewing_is_no_attempt(self):
        queue = filled("a", attempts=2)
        queue.lease(0, 5)
        for now in (1, 2, 3):
            queue.renew("a", now, 5)
        queue.give_back("a", 4)
        self.assertEqual(queue.lease(4, 5), "a")

    def test_one_attempt(self):
        queue = filled("a", attempts=1)
        queue.lease(0, 5)
        queue.give_back("a", 1)
        self.assertEqual(queue.dead(), ["a"])

    def test_there_must_be_an_attempt(self):
        with self.assertRaises(ValueError):
            LeaseQueue(0)

    def test_three_attempts_unless_told_otherwise(self):
        queue = LeaseQueue()
        queue.put("a")
        for now in (0, 1, 2):
            self.assertEqual(queue.lease(now, 1), "a")
        self.assertIsNone(queue.lease(3, 1))


class AgainTest(unittest.TestCase):
    def test_waiting_and_leased_jobs_are_refused(self):
        queue = filled("a", "b")
        queue.lease(0, 5)
        for name in ("a", "b"):
            with self.assertRaises(AlreadyQueued):
                queue.put(name, 7)
        self.assertEqual(len(queue), 2)

    def test_done_jobs_come_again_at_the_end(self):
        queue = filled("a", "b", attempts=2)
        queue.lease(0, 5)
        queue.done("a", 1)
        queue.put("a")
        self.assertEqual(drain(queue, 1), ["b", "a"])

    def test_dead_jobs_come_again_with_all_attempts(self):
        queue = filled("a", attempts=2)
        for now in (0, 1):
            queue.lease(now, 5)
            queue.give_back("a", now)
        queue.put("a")
        self.assertEqual(len(queue), 1)
        for now in (2, 3):
            self.assertEqual(queue.lease(now, 5), "a")
            queue.give_back("a", now)
        self.assertEqual(queue.dead(), ["a", "a"])

    def test_the_list_of_dead_jobs_is_new(self):
        queue = filled("a", attempts=1)
        queue.lease(0, 5)
        queue.give_back("a", 1)
        queue.dead().clear()
        self.assertEqual(queue.dead(), ["a"])


if __name__ == "__main__":
    unittest.main()
