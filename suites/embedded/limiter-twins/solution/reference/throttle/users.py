"""Limits what each user may do.

A user starts with a full allowance of `burst` tokens and gains `rate` tokens a second, up to `burst`. For a user time
never runs backwards: a call with an earlier `now` than the latest seen for this user counts as made at that latest
moment.
"""

from __future__ import annotations

from throttle.bucket import TokenBucket


class UserLimiter:
    """Token allowances by user."""

    def __init__(self, rate: float, burst: float) -> None:
        TokenBucket(rate, burst)  # raises ValueError at once, not at the first call
        self.rate = rate
        self.burst = burst
        self._buckets: dict[str, TokenBucket] = {}

    def allow(self, user: str, now: float, cost: float = 1) -> bool:
        """Takes `cost` tokens from a user's allowance; False, and nothing is taken, if there are fewer.

        Raises:
            ValueError: the cost is more than the burst, so that it could never be allowed.
        """
        return self._bucket(user, cost).take(cost, now)

    def wait(self, user: str, now: float, cost: float = 1) -> float:
        """Seconds until `cost` tokens are there; 0.0 if they are.

        Raises:
            ValueError: the cost is more than the burst.
        """
        return self._bucket(user, cost).wait(cost, now)

    def forget(self, user: str) -> None:
        """Forgets a user, who starts with a full allowance next time; unknown users are ignored."""
        self._buckets.pop(user, None)

    def _bucket(self, user: str, cost: float) -> TokenBucket:
        if cost > self.burst:
            raise ValueError(f"a cost of {cost} exceeds the burst of {self.burst}")
        if user not in self._buckets:
            self._buckets[user] = TokenBucket(self.rate, self.burst)
        return self._buckets[user]
