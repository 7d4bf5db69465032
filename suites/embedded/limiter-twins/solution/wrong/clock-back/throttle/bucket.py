"""One allowance of tokens that refills with time."""

from __future__ import annotations

import math


class TokenBucket:
    """Holds at most `burst` tokens and gains `rate` a second; full at the start.

    Time never runs backwards: a call with an earlier `now` than the latest one counts as made at that latest moment.
    """

    def __init__(self, rate: float, burst: float) -> None:
        if rate <= 0 or burst <= 0:
            raise ValueError("rate and burst must be positive")
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._latest = -math.inf

    def level(self, now: float) -> float:
        """Tokens in the bucket."""
        elapsed = max(0.0, now - self._latest)
        self._latest = now
        self._tokens = min(self._burst, self._tokens + elapsed * self._rate)
        return self._tokens

    def take(self, amount: float, now: float) -> bool:
        """Takes `amount` tokens; False, and none is taken, if there are fewer."""
        if self.level(now) < amount:
            return False
        self._tokens -= amount
        return True

    def wait(self, amount: float, now: float) -> float:
        """Seconds until `amount` tokens are there: 0.0 if they are, infinity if they never will be."""
        missing = amount - self.level(now)
        if missing <= 0:
            return 0.0
        return math.inf if amount > self._burst else missing / self._rate
