"""Entries of a shift log."""

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

LINE = re.compile(r"\s*([0-9]+)\s*;\s*([A-Z]{1,4})\s*;([^;]*);(.*)", re.DOTALL)


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
    for path in Path(folder).iterdir():
        if not path.name.endswith(".log") or not path.is_file():
            continue
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
            if line.strip():
                found.append(read_line(line, f"{path.name}:{number}"))
    return found


def read_line(line: str, place: str) -> Entry:
    """An entry."""
    match = LINE.fullmatch(line)
    if match is None or not match[3].strip():
        raise BadLine(place)
    time = datetime.fromtimestamp(int(match[1]), timezone.utc)
    return Entry(time, match[2], match[3].strip(), match[4].strip())


def site_names() -> dict[str, str]:
    """Names of sites by their codes."""
    lines = Path(__file__).with_name("sites.csv").read_text("utf-8").splitlines()
    return dict(line.split(",", 1) for line in lines)
