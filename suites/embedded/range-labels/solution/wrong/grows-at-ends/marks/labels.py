"""Labels of positions.

The places where the label changes are kept in one sorted list, with the label from there on in a second list.
"""

from bisect import bisect_left, bisect_right


class Labels:
    """At most one label for each position."""

    def __init__(self) -> None:
        # A label (or None) holds from its start up to the next one; neighbours differ, and the last is None.
        self._starts = [0]
        self._labels: list[str | None] = [None]

    def __len__(self) -> int:
        """How many stretches there are."""
        return sum(label is not None for label in self._labels)

    def put(self, start: int, stop: int, label: str) -> None:
        """Labels the positions from `start` up to `stop`."""
        if not label:
            raise ValueError("the label is empty")
        self._set(start, stop, label)

    def clear(self, start: int, stop: int) -> None:
        """Takes the labels from these positions."""
        self._set(start, stop, None)

    def at(self, position: int) -> str | None:
        """The label of a position."""
        if position < 0:
            raise ValueError(f"a negative position: {position}")
        return self._labels[bisect_right(self._starts, position) - 1]

    def stretches(self) -> list[tuple[int, int, str]]:
        """All labels with the positions that they cover."""
        ends = zip(self._starts, self._starts[1:], self._labels)
        return [(start, stop, label) for start, stop, label in ends if label is not None]

    def insert(self, position: int, count: int) -> None:
        """Makes room for `count` positions before this one."""
        _check(position, count)
        same = position > 0 and self.at(position - 1) is not None
        first = bisect_left(self._starts, position)
        if position == 0:
            first = 1
        for k in range(first, len(self._starts)):
            self._starts[k] += count
        if position == 0 and count and self._labels[0] is not None:
            self._starts.insert(1, count)
            self._labels.insert(1, self._labels[0])
        if same:
            self._set(position, position + count, self.at(position - 1))
        else:
            self._set(position, position + count, None)

    def delete(self, position: int, count: int) -> None:
        """Removes positions with their labels."""
        _check(position, count)
        self._set(position, position + count, None)
        first = bisect_right(self._starts, position)
        for k in range(first, len(self._starts)):
            self._starts[k] -= count
        self._join()

    def _set(self, start: int, stop: int, label: str | None) -> None:
        if start < 0 or start > stop:
            raise ValueError(f"no range: {start} to {stop}")
        if start == stop:
            return
        after = self.at(stop)
        low, high = bisect_left(self._starts, start), bisect_right(self._starts, stop)
        self._starts[low:high] = [start, stop]
        self._labels[low:high] = [label, after]
        self._join()

    def _join(self) -> None:
        """Drops entries of no length, and those that say what the one before says."""
        starts, labels = [], []
        for k, (start, label) in enumerate(zip(self._starts, self._labels)):
            if k + 1 < len(self._starts) and self._starts[k + 1] == start:
                continue
            if not labels or labels[-1] != label:
                starts.append(start)
                labels.append(label)
        self._starts, self._labels = starts, labels


def _check(position: int, count: int) -> None:
    if position < 0 or count < 0:
        raise ValueError(f"negative: position {position}, count {count}")
