"""Entries of a shift log."""

import glob
import os
import re
from dataclasses import dataclass
from datetime import datetime

LINE = re.compile("\s*(\d+)\s*;\s*(\w+)\s*;([^;]*);(.*)")


@dataclass(frozen=True)
class Entry:
    """A line of a log."""

    time: datetime
    site: str
    name: str
    note: str


class BadLine(Exception):
    """A line that is none; says where."""


def read_folder(folder: str) -> list[Entry]:
    """All entries of a folder."""
    found = []
    for path in glob.glob(f"{folder}/*.log"):
        for number, line in enumerate(open(path), 1):
            if not line.strip():
                continue
            try:
                found.append(read_line(line))
            except AssertionError:
                raise BadLine(f"{os.path.basename(path)}:{number}")
    return found


def read_line(line: str) -> Entry:
    """An entry."""
    match = LINE.match(line)
    assert match is not None
    seconds, site, name, note = [part.strip() for part in match.groups()]
    assert re.fullmatch("[A-Z]{1,4}", site) and name
    return Entry(datetime.fromtimestamp(int(seconds)), site, name, note)


def site_names() -> dict[str, str]:
    """Names of sites by their codes."""
    return dict(line.strip().split(",", 1) for line in open("shiftlog/sites.csv"))
