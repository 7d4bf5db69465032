"""Sets of whole numbers, kept as sorted spans that neither overlap nor touch."""

import re
from math import inf

_PIECE = re.compile(r"(-?[0-9]+)|(-?[0-9]+)?\.\.(-?[0-9]+)?")


class SpanSet:
    """An immutable set of whole numbers."""

    def __init__(self, pairs=()):
        spans = []
        for start, stop in pairs:
            low, high = -inf if start is None else start, inf if stop is None else stop
            if high < low:
                raise ValueError(f"a span from {start} to {stop}")
            if low < high:
                spans.append((low, high))
        self._spans = []
        for low, high in sorted(spans):
            if self._spans and low <= self._spans[-1][1]:
                self._spans[-1] = (self._spans[-1][0], max(high, self._spans[-1][1]))
            else:
                self._spans.append((low, high))

    @classmethod
    def _of(cls, spans):
        return cls((None if low == -inf else low, None if high == inf else high) for low, high in spans)

    @classmethod
    def parse(cls, text):
        """Read the text that `text` writes, and more generous ones."""
        pairs = []
        for piece in text.split(",") if text.strip(" ") else []:
            found = _PIECE.fullmatch(piece.strip(" "))
            if not found:
                raise ValueError(f"not a span: {piece}")
            only, low, high = (int(part) if part else None for part in found.groups())
            if only is not None:
                low = high = only
            if low is not None and high is not None and high < low:
                raise ValueError(f"a span that ends before it begins: {piece}")
            pairs.append((low, None if high is None else high + 1))
        return cls(pairs)

    def pairs(self):
        """Start and stop of each span."""
        return tuple((None if low == -inf else low, None if high == inf else high) for low, high in self._spans)

    def text(self):
        """The spans as text, with both ends inside."""
        out = []
        for start, stop in self.pairs():
            low, high = "" if start is None else start, "" if stop is None else stop - 1
            out.append(str(low) if low == high and low != "" else f"{low}..{high}")
        return ",".join(out)

    def has(self, number):
        """Whether a number is a member."""
        return any(low <= number < high for low, high in self._spans)

    def size(self):
        """How many members; None if there is no end of them."""
        size = sum(high - low for low, high in self._spans)
        return None if size == inf else size

    def complement(self):
        """All other numbers."""
        ends = [-inf, *(end for span in self._spans for end in span), inf]
        return self._of((low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if low < high)

    def union(self, *others):
        """Members of any."""
        return self._of(span for one in (self, *others) for span in one._spans)

    def intersection(self, *others):
        """Members of all."""
        return self.complement().union(*(other.complement() for other in others)).complement()

    def difference(self, *others):
        """Members of none of the others."""
        return self.complement().union(*others).complement()

    def shift(self, by):
        """Every member moved."""
        return self._of((low + by, high + by) for low, high in self._spans)

    def grow(self, by):
        """Every span with its ends moved outwards."""
        return self._of((low - by, high + by) for low, high in self._spans if low - by < high + by)

    def gaps(self):
        """What lies between the spans."""
        return self._of((one[1], other[0]) for one, other in zip(self._spans, self._spans[1:], strict=False))

    def after(self, number):
        """The least member that is not less than a number; None if there is none."""
        return next((max(number, low) for low, high in self._spans if high > number), None)

    def nth(self, index):
        """A member by its place in their order."""
        spans, step = (self._spans, 1) if index >= 0 else (self._spans[::-1], -1)
        left = index if index >= 0 else -index - 1
        for low, high in spans:
            first = low if step > 0 else high - 1
            if first in (inf, -inf):
                raise ValueError("there is no end to count from")
            if left < high - low:
                return first + step * left
            left -= high - low
        raise IndexError(index)

    def blocks(self, size):
        """The set in sets of some members each."""
        if size < 1 or self.size() is None:
            raise ValueError("blocks need a size, and a set that ends")
        out, room = [[]], size
        for low, high in self._spans:
            while low < high:
                if room == 0:
                    out.append([])
                    room = size
                stop = min(high, low + room)
                out[-1].append((low, stop))
                room -= stop - low
                low = stop
        return [self._of(block) for block in out if block]

    def __eq__(self, other):
        return self._spans == other._spans if isinstance(other, SpanSet) else NotImplemented

    def __hash__(self):
        return hash(tuple(self._spans))
