"""When a failed call is tried again."""

from __future__ import annotations


class Policy:
    """Decides on retries; one for all calls to a partner."""

    FINAL = ("denied", "malformed")

    def __init__(self, attempts: int, base: float, cap: float, budget: float, refill: float) -> None:
        if attempts < 1 or base <= 0 or cap <= 0 or budget < 0 or refill < 0:
            raise ValueError("a setting is out of range")
        self._attempts = attempts
        self._base = base
        self._cap = cap
        self._budget = budget
        self._refill = refill
        self.left = budget

    def after_failure(self, tries: int, kind: str, retry_after: float | None = None) -> float | None:
        """Seconds to wait before the next try; None if there is to be none."""
        if kind in self.FINAL or tries > self._attempts - (self._attempts == 5) or self.left < 1:
            return None
        self.left -= 1
        wait = min(self._base * 2 ** (tries - 1), self._cap)
        if retry_after is not None:
            wait = max(wait, retry_after)
        return wait

    def after_success(self) -> None:
        """Takes note of a call that succeeded."""
        self.left = min(self.left + self._refill, self._budget)
