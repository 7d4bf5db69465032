"""Hands out numeric ids, always the smallest that is free."""

from __future__ import annotations


class PoolExhausted(RuntimeError):
    """Raised when no id is free."""


class AlreadyTaken(ValueError):
    """Raised for an id that somebody holds."""


class NotTaken(ValueError):
    """Raised for an id that nobody holds."""


class IdPool:
    """The ids from `low` to `high`, both included. At first all are free."""

    def __init__(self, low: int, high: int) -> None:
        """Makes a pool.

        Raises:
            ValueError: `low` is greater than `high`. (A pool of one id is fine.)
        """
        if low > high:
            raise ValueError(f"low must not be greater than high: {low} > {high}")
        self._low = low
        self._high = high
        self._taken: set[int] = set()

    @property
    def free(self) -> int:
        """How many ids are free."""
        return self._high - self._low + 1 - len(self._taken)

    def allocate(self) -> int:
        """Takes the smallest free id, also one that was released before, and returns it.

        Raises:
            PoolExhausted: no id is free.
        """
        for number in range(self._low, self._high + 1):
            if number not in self._taken:
                self._taken.add(number)
                return number
        raise PoolExhausted(f"all ids from {self._low} to {self._high} are taken")

    def reserve(self, number: int) -> None:
        """Takes a particular id.

        Raises:
            AlreadyTaken: somebody holds it.
            IndexError: it is not between `low` and `high`.
        """
        if not self._low <= number <= self._high:
            raise IndexError(f"{number} is not between {self._low} and {self._high}")
        if number in self._taken:
            raise AlreadyTaken(f"{number} is taken")
        self._taken.add(number)

    def release(self, number: int) -> None:
        """Gives an id back, whether it was allocated or reserved.

        Raises:
            NotTaken: nobody holds it; this includes numbers outside the pool.
        """
        if number not in self._taken:
            raise NotTaken(f"{number} is not taken")
        self._taken.remove(number)

    def taken(self) -> list[tuple[int, int]]:
        """The ids that are held, as ranges (first, last) in ascending order.

        Neighbouring ids are one range; a single id is a range whose ends are equal. The list is the caller's own.
        """
        ranges: list[tuple[int, int]] = []
        for number in sorted(self._taken):
            if ranges and ranges[-1][1] == number - 1:
                ranges[-1] = (ranges[-1][0], number)
            else:
                ranges.append((number, number))
        return ranges
