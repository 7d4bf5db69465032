"""Limits how often each route is called.

A route starts with a full allowance of `burst` tokens and gains `rate` tokens a second, up to `burst`. A call costs the
weight of its route. For a route time never runs backwards: a call with an earlier `now` than the latest seen for this
route counts as made at that latest moment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping


class RouteLimiter:
    """Token allowances by route."""

    def __init__(self, rate: float, burst: float, weights: Mapping[str, float] | None = None) -> None:
        if rate <= 0 or burst <= 0:
            raise ValueError("rate and burst must be positive")
        self.rate = rate
        self.burst = burst
        self.weights = dict(weights or {})
        self._level: dict[str, float] = {}
        self._last: dict[str, float] = {}

    def allow(self, route: str, now: float) -> bool:
        """Takes the weight of a route (1 unless set) from its allowance; False, and nothing is taken, if there is less.

        A route that weighs more than the burst is closed: it is never allowed.
        """
        weight = self.weights.get(route, 1)
        if route not in self._level:
            self._level[route] = self.burst
            self._last[route] = now
        if now > self._last[route]:
            self._level[route] = min(self.burst, self._level[route] + (now - self._last[route]) * self.rate)
            self._last[route] = now
        if self._level[route] >= weight:
            self._level[route] -= weight
            return True
        return False

    def wait(self, route: str, now: float) -> float:
        """Seconds until a call of the route is allowed, rounded to milliseconds; infinity for a closed route."""
        weight = self.weights.get(route, 1)
        if route not in self._level:
            self._level[route] = self.burst
            self._last[route] = now
        if now > self._last[route]:
            self._level[route] = min(self.burst, self._level[route] + (now - self._last[route]) * self.rate)
            self._last[route] = now
        if self._level[route] >= weight:
            return 0.0
        if weight > self.burst:
            return math.inf
        return round((weight - self._level[route]) / self.rate, 3)

    def report(self, now: float) -> dict[str, float]:
        """Tokens of every route that was asked for so far, in the order in which they first were."""
        for route in self._level:
            if now > self._last[route]:
                self._level[route] = min(self.burst, self._level[route] + (now - self._last[route]) * self.rate)
                self._last[route] = now
        return dict(self._level)
