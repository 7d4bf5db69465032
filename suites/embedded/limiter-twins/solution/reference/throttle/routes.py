"""Limits how often each route is called.

A route starts with a full allowance of `burst` tokens and gains `rate` tokens a second, up to `burst`. A call costs the
weight of its route. For a route time never runs backwards: a call with an earlier `now` than the latest seen for this
route counts as made at that latest moment.
"""

from __future__ import annotations

from collections.abc import Mapping

from throttle.bucket import TokenBucket


class RouteLimiter:
    """Token allowances by route."""

    def __init__(self, rate: float, burst: float, weights: Mapping[str, float] | None = None) -> None:
        TokenBucket(rate, burst)  # raises ValueError at once, not at the first call
        self.rate = rate
        self.burst = burst
        self.weights = dict(weights or {})
        self._buckets: dict[str, TokenBucket] = {}

    def allow(self, route: str, now: float) -> bool:
        """Takes the weight of a route (1 unless set) from its allowance; False, and nothing is taken, if there is less.

        A route that weighs more than the burst is closed: it is never allowed.
        """
        return self._bucket(route).take(self.weights.get(route, 1), now)

    def wait(self, route: str, now: float) -> float:
        """Seconds until a call of the route is allowed, rounded to milliseconds; infinity for a closed route."""
        return round(self._bucket(route).wait(self.weights.get(route, 1), now), 3)

    def report(self, now: float) -> dict[str, float]:
        """Tokens of every route that was asked for so far, in the order in which they first were."""
        return {route: bucket.level(now) for route, bucket in self._buckets.items()}

    def _bucket(self, route: str) -> TokenBucket:
        return self._buckets.setdefault(route, TokenBucket(self.rate, self.burst))
