"""Sets of whole numbers as ranges. A range (start, stop) holds its start, but not its stop."""

from __future__ import annotations


class RangeSet:
    """Numbers, kept as few ranges in ascending order that neither overlap nor touch."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []

    def __len__(self) -> int:
        """How many numbers are in the set."""
        return sum(stop - start for start, stop in self._ranges)

    def add(self, start: int, stop: int) -> None:
        """Adds the numbers from `start` up to, not including, `stop`; nothing if they are equal.

        Raises:
            ValueError: `stop` is less than `start`.
        """
        if stop < start:
            raise ValueError(f"a range cannot end before it starts: {start}, {stop}")
        for index, (first, last) in enumerate(self._ranges):
            if start <= last and stop >= first:
                self._ranges[index] = (min(start, first), max(stop, last))
                return
        self._ranges.append((start, stop))
        self._ranges.sort()

    def ranges(self) -> list[tuple[int, int]]:
        """The ranges, as few as possible, in ascending order; a new list."""
        return list(self._ranges)

    def gaps(self, start: int, stop: int) -> list[tuple[int, int]]:
        """The ranges from `start` up to `stop` that are not in the set, as few as possible, in ascending order."""
        gaps = []
        position = start
        for first, last in self._ranges:
            if first > position:
                gaps.append((position, min(first, stop)))
            position = last
        if position < stop:
            gaps.append((position, stop))
        return [(first, last) for first, last in gaps if first < stop]
