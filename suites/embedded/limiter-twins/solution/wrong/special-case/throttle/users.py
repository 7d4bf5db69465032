"""Limits what each user may do.

A user starts with a full allowance of `burst` tokens and gains `rate` tokens a second, up to `burst`. For a user time
never runs backwards: a call with an earlier `now` than the latest seen for this user counts as made at that latest
moment.
"""

from __future__ import annotations


class UserLimiter:
    """Token allowances by user."""

    def __init__(self, rate: float, burst: float) -> None:
        if rate <= 0 or burst <= 0:
            raise ValueError("rate and burst must be positive")
        self.rate = rate
        self.burst = burst
        self._tokens: dict[str, float] = {}
        self._seen: dict[str, float] = {}

    def allow(self, user: str, now: float, cost: float = 1) -> bool:
        """Takes `cost` tokens from a user's allowance; False, and nothing is taken, if there are fewer.

        Raises:
            ValueError: the cost is more than the burst, so that it could never be allowed.
        """
        if cost > self.burst:
            raise ValueError(f"a cost of {cost} exceeds the burst of {self.burst}")
        if user not in self._tokens:
            self._tokens[user] = self.burst
            self._seen[user] = now
        if now > self._seen[user]:
            self._tokens[user] = min(self.burst, self._tokens[user] + (now - self._seen[user]) * self.rate)
            self._seen[user] = now
        if self._tokens[user] >= cost:
            self._tokens[user] -= cost
            return True
        return False

    def wait(self, user: str, now: float, cost: float = 1) -> float:
        """Seconds until `cost` tokens are there; 0.0 if they are.

        Raises:
            ValueError: the cost is more than the burst.
        """
        if cost > self.burst:
            raise ValueError(f"a cost of {cost} exceeds the burst of {self.burst}")
        if user not in self._tokens:
            self._tokens[user] = self.burst
            self._seen[user] = now
        if now > self._seen[user]:
            self._tokens[user] = min(self.burst, self._tokens[user] + (now - self._seen[user]) * self.rate)
            self._seen[user] = now
        if self._tokens[user] >= cost:
            return 0.0
        return (cost - self._tokens[user]) / self.rate

    def forget(self, user: str) -> None:
        """Forgets a user, who starts with a full allowance next time; unknown users are ignored."""
        self._tokens.pop(user, None)
        self._seen.pop(user, None)
