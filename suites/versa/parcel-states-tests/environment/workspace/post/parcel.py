"""The states of a parcel.

    announced -> depot -> van -> delivered
                   ^  <-  v
                  held   lost

A parcel that goes back to its sender takes the same way once more, with `returning` true.
"""

from datetime import date, timedelta

ATTEMPTS = 3
KEPT = 7  # days


class NotAllowed(Exception):
    """Raised for an event that is not allowed in the parcel's state; nothing has changed then, not even the history."""


class Parcel:
    """A parcel, announced on a day. All events have a day, which must not be before that of the event before (ValueError, and nothing has changed)."""

    def __init__(self, day: date) -> None:
        self.state = "announced"
        self.returning = False
        self._attempts = 0
        self._held: date | None = None
        self._before = ""
        self._history = [(day, "announced")]

    @property
    def history(self) -> list[tuple[date, str]]:
        """Days and the states that began on them, in order, `announced` first; a new list. A state that did not change is not in it again; `held`, `lost` and those after them are states like others."""
        return list(self._history)

    def arrive(self, day: date) -> None:
        """It comes to the depot: from the sender (announced), or back in the van without having been delivered.

        The latter is an attempt that failed. After the third, the parcel is returning, and its attempts begin anew; after the third failed attempt to return it, too, and so on: it then still is returning.
        """
        self._check(day, "announced", "van")
        failed = self.state == "van"
        self._enter(day, "depot")
        if failed:
            self._attempts += 1
            if self._attempts == ATTEMPTS:
                self.returning = True
                self._attempts = 0

    def load(self, day: date) -> None:
        """It is put into a van, from the depot."""
        self._check(day, "depot")
        self._enter(day, "van")

    def deliver(self, day: date) -> None:
        """It is handed over, from a van; this is the end. It can also be fetched while it is held, but not if it is returning."""
        if self.returning:
            self._check(day, "van")
        else:
            self._check(day, "van", "held")
        self._enter(day, "delivered")

    def hold(self, day: date) -> None:
        """It is kept in the depot, for somebody to fetch it. A returning parcel is not kept."""
        if self.returning:
            self._check(day)
        self._check(day, "depot")
        self._enter(day, "held")
        self._held = day

    def release(self, day: date) -> None:
        """It is no longer kept, and is in the depot again. If it was kept for more than 7 days, it is returning from then on, and its attempts begin anew."""
        self._check(day, "held")
        self._enter(day, "depot")
        if self._held is not None and day - self._held > timedelta(KEPT):
            self.returning = True
            self._attempts = 0

    def lose(self, day: date) -> None:
        """Nobody knows where it is; possible in any state but announced, delivered, and lost itself."""
        self._check(day, "depot", "van", "held")
        self._before = self.state
        self._enter(day, "lost")

    def find(self, day: date) -> None:
        """A lost parcel is found: it is in the state again in which it was lost, and days in which it was lost while it was held count as held; but one that was lost in a van is in the depot, and this is no attempt."""
        self._check(day, "lost")
        self._enter(day, "depot" if self._before == "van" else self._before)

    def attempts_left(self) -> int:
        """How many attempts may still fail before the parcel turns round, or begins anew: 3 at first. 0 if it is delivered."""
        return 0 if self.state == "delivered" else ATTEMPTS - self._attempts

    def _check(self, day: date, *states: str) -> None:
        if self.state not in states:
            raise NotAllowed(f"not allowed when {self.state}")
        if day < self._history[-1][0]:
            raise ValueError(f"{day} is before {self._history[-1][0]}")

    def _enter(self, day: date, state: str) -> None:
        self.state = state
        self._history.append((day, state))
