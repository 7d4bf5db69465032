"""Reading the lines of a request log."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone


@dataclass(frozen=True)
class Entry:
    """One request."""

    when: datetime
    """When it arrived; always with a zone, namely that of the machine that wrote the line."""
    path: str
    status: int
    milliseconds: int


def parse_line(line: str) -> Entry:
    """The entry of a line such as `2026-03-01T09:15:00+02:00 web1 GET /cart 200 31ms`.

    A time without an offset is in UTC. Raises ValueError when the line does not have this form.
    """
    fields = line.split()
    if len(fields) != 6 or not fields[5].endswith("ms"):
        raise ValueError(f"not a log line: {line!r}")
    when = datetime.fromisoformat(fields[0])
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    return Entry(when, fields[3], int(fields[4]), int(fields[5].removesuffix("ms")))


def parse_lines(lines: Iterable[str]) -> Iterator[Entry]:
    """The entries of a log, in the order of its lines; blank lines and lines that start with `#` are skipped."""
    for line in lines:
        if line.strip() and not line.startswith("#"):
            yield parse_line(line)
