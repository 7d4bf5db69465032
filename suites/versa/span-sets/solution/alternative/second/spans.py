"""Sets of whole numbers, kept as the places at which membership changes; SPEC.md describes them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

__all__ = ["SpanSet"]

Pair = tuple[int | None, int | None]

_DIGITS = 4000
"""More digits than that Python may refuse to read or write at once."""
_PIECE = re.compile(r" *(?:(?P<low>-?[0-9]+)?(?P<dots>\.\.)(?P<high>-?[0-9]+)?|(?P<one>-?[0-9]+)) *")


def _read(text: str) -> int:
    digits = text.removeprefix("-")
    value = 0
    for start in range(0, len(digits), _DIGITS):
        part = digits[start : start + _DIGITS]
        value = value * 10 ** len(part) + int(part)
    return -value if digits != text else value


def _written(number: int) -> str:
    parts, rest = [], abs(number)
    while rest >= 10**_DIGITS:
        rest, part = divmod(rest, 10**_DIGITS)
        parts.append(f"{part:0{_DIGITS}}")
    return "-" * (number < 0) + "".join([str(rest), *reversed(parts)])


class SpanSet:
    """A set of whole numbers that never changes.

    `_flips` are the numbers that are members where the number before them is none, or the other way round, ascending;
    `_below` says whether all numbers before the first of them are members.
    """

    __slots__ = ("_below", "_flips")

    _below: bool
    _flips: tuple[int, ...]

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        changes: Counter[int] = Counter()
        depth = 0
        for start, stop in pairs:
            if start is not None and stop is not None and stop < start:
                raise ValueError(f"{stop} is less than {start}")
            if start is None:
                depth += 1
            else:
                changes[start] += 1
            if stop is not None:
                changes[stop] -= 1
        self._sweep(depth, changes, lambda depth: depth > 0)

    def _sweep(self, depth: int, changes: Counter[int], holds: Callable[[int], bool]) -> None:
        """Makes the set of the numbers at which a depth, which changes from place to place, is as wanted."""
        self._below = inside = holds(depth)
        flips = []
        for place in sorted(changes):
            depth += changes[place]
            if holds(depth) is not inside:
                inside = not inside
                flips.append(place)
        self._flips = tuple(flips)

    @classmethod
    def _made(cls, below: bool, flips: Iterable[int]) -> SpanSet:
        made = cls.__new__(cls)
        made._below, made._flips = below, tuple(flips)
        return made

    @classmethod
    def _counted(cls, sets: Iterable[SpanSet], holds: Callable[[int], bool]) -> SpanSet:
        """The numbers that are members of as many of the sets as wanted."""
        depth, changes = 0, Counter[int]()
        for each in sets:
            depth += each._below
            for number, flip in enumerate(each._flips, each._below):
                changes[flip] += -1 if number % 2 else 1
        made = cls.__new__(cls)
        made._sweep(depth, changes, holds)
        return made

    # --- what it holds

    def pairs(self) -> tuple[Pair, ...]:
        """The spans, ascending, as few as possible."""
        ends: list[int | None] = [*[None] * self._below, *self._flips]
        ends += [None] * (len(ends) % 2)
        return tuple(zip(ends[::2], ends[1::2], strict=True))

    def has(self, n: int) -> bool:
        """Whether a number is a member."""
        return (bisect_right(self._flips, n) + self._below) % 2 == 1

    @property
    def _above(self) -> bool:
        """Whether all numbers from the last flip on are members."""
        return (len(self._flips) + self._below) % 2 == 1

    def size(self) -> int | None:
        """The number of members; None if there are infinitely many."""
        if self._below or self._above:
            return None
        return sum(self._flips[1::2]) - sum(self._flips[::2])

    def after(self, n: int) -> int | None:
        """The least member that is a number or more."""
        place = bisect_right(self._flips, n)
        if (place + self._below) % 2:
            return n
        return self._flips[place] if place < len(self._flips) else None

    def nth(self, k: int) -> int:
        """The member with so many members below it, or counted from the greatest, which is -1."""
        if k < 0:
            return -self._mirrored().nth(-1 - k)
        if self._below:
            raise ValueError("there is no least or greatest member to count from")
        for start, stop in self.pairs():
            if start is None or stop is None or k < stop - start:
                return (start or 0) + k
            k -= stop - start
        raise IndexError("there are too few members")

    def _mirrored(self) -> SpanSet:
        """The set of all members with the other sign."""
        return self._made(self._above, (1 - flip for flip in reversed(self._flips)))

    # --- texts

    def text(self) -> str:
        """The spans with both ends inside."""
        return ",".join(self._pieces())

    def _pieces(self) -> Iterator[str]:
        for start, stop in self.pairs():
            if start is not None and stop == start + 1:
                yield _written(start)
            else:
                low, high = "" if start is None else _written(start), "" if stop is None else _written(stop - 1)
                yield f"{low}..{high}"

    @classmethod
    def parse(cls, text: str) -> SpanSet:
        """The set that a text means; ValueError if it means none."""
        pairs: list[Pair] = []
        for piece in text.split(",") if text.strip(" ") else ():
            found = _PIECE.fullmatch(piece)
            if found is None:
                raise ValueError(f"not a span: {piece!r}")
            low, high = (found["low"], found["high"]) if found["dots"] else (found["one"], found["one"])
            start, last = (None if end is None else _read(end) for end in (low, high))
            if start is not None and last is not None and last < start:
                raise ValueError(f"it ends before it begins: {piece!r}")
            pairs.append((start, None if last is None else last + 1))
        return cls(pairs)

    # --- sets of sets

    def union(self, *others: SpanSet) -> SpanSet:
        """The members of this set or any other."""
        return self._counted([self, *others], lambda depth: depth > 0)

    def intersection(self, *others: SpanSet) -> SpanSet:
        """The members of this set and all others."""
        return self._counted([self, *others], lambda depth: depth > len(others))

    def difference(self, *others: SpanSet) -> SpanSet:
        """The members of this set and none of the others."""
        return self.intersection(*(other.complement() for other in others))

    def complement(self) -> SpanSet:
        """All numbers that are no members."""
        return self._made(not self._below, self._flips)

    # --- sets made of this one

    def shift(self, n: int) -> SpanSet:
        """Each member plus a number."""
        return self._made(self._below, (flip + n for flip in self._flips))

    def grow(self, n: int) -> SpanSet:
        """Each span longer by a number at both of its ends."""
        grown = [(start if start is None else start - n, stop if stop is None else stop + n) for start, stop in self.pairs()]
        return type(self)(pair for pair in grown if None in pair or pair[0] < pair[1])

    def gaps(self) -> SpanSet:
        """The numbers that are no members, but lie between members."""
        flips = self._flips if self._below else self._flips[1:]
        return self._made(False, flips if self._above else flips[:-1])

    def blocks(self, size: int) -> list[SpanSet]:
        """So many members after the other, from the least one on."""
        if size < 1 or self.size() is None:
            raise ValueError("blocks have no size, or there is no end of them")
        cuts: list[int] = []  # where blocks begin
        room = 0
        for start, stop in self.pairs():
            cuts += range(start + room, stop, size)
            room = (start + room - stop) % size if start + room < stop else start + room - stop
        return [self._between(low, high) for low, high in pairwise([*cuts, *self._flips[-1:]])]

    def _between(self, low: int, high: int) -> SpanSet:
        """The members from one number up to another; of a finite set."""
        first, last = bisect_right(self._flips, low), bisect_right(self._flips, high - 1)
        inner = [*[low] * (first % 2), *self._flips[first:last]]
        return self._made(False, [*inner, *[high] * (len(inner) % 2)])

    # --- comparing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpanSet) and (self._below, self._flips) == (other._below, other._flips)

    def __hash__(self) -> int:
        return hash((SpanSet, self._below, self._flips))

    def __repr__(self) -> str:
        return f"SpanSet.parse({self.text()!r})"
