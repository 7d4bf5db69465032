"""Clocks for caches: anything that returns seconds when called, such as `time.monotonic`."""


class ManualClock:
    """A clock that stands still until somebody moves it."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        """Move the clock forward."""
        self._now += seconds
