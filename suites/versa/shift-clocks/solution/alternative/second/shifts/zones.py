"""Clocks on walls, and when they are changed. All moments are datetimes without a zone: local ones or those of UTC."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path


class Zone:
    """A zone: the offset that it begins with, and changes (moment in UTC, offset from then on), in minutes."""

    def __init__(self, offset: int, changes: Iterable[tuple[datetime, int]] = ()) -> None:
        self._changes = sorted(changes)
        self._moments = [moment for moment, _offset in self._changes]
        self._offsets = [offset, *(after for _moment, after in self._changes)]

    def offset(self, utc: datetime) -> timedelta:
        """What the clock is ahead of UTC at a moment of UTC."""
        return timedelta(minutes=self._offsets[bisect_right(self._moments, utc)])

    def to_local(self, utc: datetime) -> datetime:
        """What the clock shows at a moment of UTC."""
        return utc + self.offset(utc)

    def to_utc(self, local: datetime) -> datetime:
        """The moment of UTC at which the clock shows a time.

        Of a time that it shows twice it is the first. A time that is skipped counts as if the clock had not been
        changed yet.
        """
        # A clock that is put back has shown `local` first before the change; one that is put forward has not shown
        # what it skips, and then the clock before the change counts as well. So that clock counts until both have
        # gone by `local`.
        for index, moment in enumerate(self._moments):
            before, after = (timedelta(minutes=minutes) for minutes in self._offsets[index : index + 2])
            if local < moment + max(before, after):
                return local - before
        return local - timedelta(minutes=self._offsets[-1])


def load(path: str) -> Zone:
    """Reads a zone: its first offset in the first line, then a change in each line, "2026-03-29T01:00 120"."""
    first, *rest = Path(path).read_text().splitlines()
    changes = [(datetime.fromisoformat(moment), int(offset)) for moment, offset in map(str.split, rest)]
    return Zone(int(first), changes)
