"""Tests of the retry policy."""

import unittest

from calls import Policy


class PolicyTest(unittest.TestCase):
    def test_waits(self):
        policy = Policy(attempts=5, base=2, cap=10, budget=100, refill=1)
        self.assertEqual([policy.after_failure(tries, "busy") for tries in range(1, 6)], [4, 8, 10, 10, None])

    def test_retry_after(self):
        policy = Policy(attempts=5, base=2, cap=10, budget=100, refill=1)
        self.assertEqual(policy.after_failure(1, "busy", retry_after=60), 60)

    def test_budget(self):
        policy = Policy(attempts=9, base=1, cap=1, budget=2, refill=0.5)
        self.assertEqual([policy.after_failure(1, "busy") for _ in range(3)], [1, 1, None])
        policy.after_success()
        policy.after_success()
        self.assertEqual(policy.after_failure(1, "busy"), 1)

    def test_final(self):
        self.assertIsNone(Policy(5, 1, 1, 5, 1).after_failure(1, "malformed"))


if __name__ == "__main__":
    unittest.main()
