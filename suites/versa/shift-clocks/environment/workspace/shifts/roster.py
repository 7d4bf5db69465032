"""The roster: who works when, by the clock on the wall."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path


@dataclass(frozen=True)
class Shift:
    """A shift, from a local time until another."""

    number: int
    person: str
    start: datetime
    end: datetime


def load(path: str) -> list[Shift]:
    """Reads lines number,person,day,start,end below a heading; an end that is not after the start is on the next day."""
    with Path(path).open() as file:
        rows = list(csv.DictReader(file))
    shifts = []
    for row in rows:
        start = datetime.fromisoformat(f"{row['day']}T{row['start']}")
        end = datetime.fromisoformat(f"{row['day']}T{row['end']}")
        if end <= start:
            end += timedelta(days=1)
        shifts.append(Shift(int(row["number"]), row["person"], start, end))
    return shifts
