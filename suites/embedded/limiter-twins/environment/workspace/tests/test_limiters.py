"""Tests of the limiters."""

import unittest

from throttle import Gate, RouteLimiter, UserLimiter


class UserLimiterTest(unittest.TestCase):
    def test_burst_then_refill(self):
        users = UserLimiter(rate=2, burst=3)
        self.assertEqual([users.allow("ana", 10.0) for _ in range(4)], [True, True, True, False])
        self.assertEqual(users.wait("ana", 10.0), 0.5)
        self.assertTrue(users.allow("ana", 10.5))
        self.assertTrue(users.allow("ben", 10.5))

    def test_cost_above_the_burst_is_an_error(self):
        with self.assertRaises(ValueError):
            UserLimiter(rate=2, burst=3).allow("ana", 0.0, cost=4)


class RouteLimiterTest(unittest.TestCase):
    def test_weights(self):
        routes = RouteLimiter(rate=1, burst=4, weights={"/export": 3})
        self.assertEqual([routes.allow("/export", 0.0), routes.allow("/export", 0.0)], [True, False])
        self.assertEqual(routes.wait("/export", 1.0), 1.0)
        self.assertEqual(routes.report(1.0), {"/export": 2.0})


class GateTest(unittest.TestCase):
    def test_who_is_over_the_limit(self):
        gate = Gate(UserLimiter(rate=1, burst=2), RouteLimiter(rate=1, burst=3))
        said = [gate.check(user, "/", 0.0) for user in ("ana", "ana", "ana", "ben", "ben")]
        self.assertEqual(said, ["ok", "ok", "user", "ok", "route"])


class TokenBucketTest(unittest.TestCase):
    def test_bucket(self):
        from throttle.bucket import TokenBucket

        bucket = TokenBucket(rate=2, burst=5)
        self.assertTrue(bucket.take(4, 1.0))
        self.assertFalse(bucket.take(2, 1.0))
        self.assertEqual(bucket.level(1.25), 1.5)
        self.assertEqual(bucket.wait(2.5, 1.25), 0.5)


if __name__ == "__main__":
    unittest.main()
