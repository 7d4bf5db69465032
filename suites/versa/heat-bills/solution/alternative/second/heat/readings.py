"""Readings of meters: loaded, sorted, and rid of estimates that turned out too high."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Reading:
    """What a meter showed on a day (YYYY-MM-DD), or is thought to have shown."""

    day: str
    meter: str
    value: int
    estimated: bool = False


def load(path: str) -> list[Reading]:
    """Reads lines day,meter,value,mark below a heading; the mark is "e" for an estimate."""
    with Path(path).open() as file:
        rows = list(csv.DictReader(file))
    return [Reading(row["day"], row["meter"], int(row["value"]), row["mark"] == "e") for row in rows]


def of_meter(readings: Iterable[Reading], meter: str) -> list[Reading]:
    """The readings of a meter, by day; of one day, in the order in which they were noted."""
    return sorted((reading for reading in readings if reading.meter == meter), key=lambda reading: reading.day)


def clean(readings: list[Reading]) -> list[Reading]:
    """The readings of a meter without the estimates that are higher than the next real reading."""
    return [reading for place, reading in enumerate(readings) if reading.value <= _next_real(readings[place:])]


def _next_real(rest: list[Reading]) -> float:
    return next((each.value for each in rest if not each.estimated), math.inf)
