"""A house: its flats, and the meters that they have or had."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Meter:
    """A counter with so many digits, in one flat."""

    name: str
    flat: str
    digits: int


@dataclass(frozen=True)
class Flat:
    """A flat and its area, in square decimetres."""

    name: str
    area: int


@dataclass(frozen=True)
class House:
    """Flats and meters, in the order of the files."""

    flats: tuple[Flat, ...]
    meters: tuple[Meter, ...]


def load(folder: str) -> House:
    """Reads flats.csv (flat,area) and meters.csv (meter,flat,digits) of a folder."""
    with Path(folder, "flats.csv").open() as file:
        flats = tuple(Flat(row["flat"], int(row["area"])) for row in csv.DictReader(file))
    with Path(folder, "meters.csv").open() as file:
        meters = tuple(Meter(row["meter"], row["flat"], int(row["digits"])) for row in csv.DictReader(file))
    return House(flats, meters)
