"""Entries of a shift log, whatever the locale: paths are handled as bytes, and all texts are in UTF-8."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

EPOCH = datetime(1970, 1, 1)
SITES = Path(__file__).with_name("sites.csv")
SECONDS = re.compile(r"[0-9]+")
SITE = re.compile(r"[A-Z]{1,4}")
NO_UTF8 = re.compile(r"[\udc80-\udcff]")
"""What bytes become that are not UTF-8."""


@dataclass(frozen=True)
class Entry:
    """A line of a log; its time is in UTC."""

    time: datetime
    site: str
    name: str
    note: str


class BadLine(Exception):
    """A line that is none; says where."""


def read_folder(folder: str) -> list[Entry]:
    """All entries of a folder."""
    found = []
    for name, number, line in _lines(os.fsencode(folder)):
        try:
            found.append(read_line(line))
        except (ValueError, OverflowError) as error:
            raise BadLine(f"{name}:{number}") from error
    return found


def read_line(line: str) -> Entry:
    """An entry.

    Raises:
        ValueError, OverflowError: the line is none.
    """
    seconds, site, name, note = (part.strip() for part in line.split(";", 3))
    if not (SECONDS.fullmatch(seconds) and SITE.fullmatch(site) and name) or NO_UTF8.search(line):
        raise ValueError(line)
    return Entry(EPOCH + timedelta(seconds=int(seconds)), site, name, note)


def site_names() -> dict[str, str]:
    """Names of sites by their codes."""
    lines = SITES.read_text(encoding="utf-8").splitlines()
    return dict(line.strip().split(",", 1) for line in lines if line.strip())


def _lines(folder: bytes) -> Iterator[tuple[str, int, str]]:
    """File names, numbers and texts of all lines that are not blank."""
    for name, path in sorted(_files(folder)):
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield name, number, line


def _files(folder: bytes) -> list[tuple[str, bytes]]:
    """Names and paths of the logs; a folder that is not there has none."""
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    paths = [(name.decode("utf-8", "surrogateescape"), os.path.join(folder, name)) for name in names if name.endswith(b".log")]
    return [(name, path) for name, path in paths if os.path.isfile(path)]
