"""What customers owe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from feed.reader import Reader


def rows(path: str, size: int) -> Iterator[dict[str, str]]:
    """The rows of a file, which is read in pieces of so many bytes."""
    reader = Reader()
    with Path(path).open("rb") as file:
        while data := file.read(size):
            yield from reader.push(data)
    yield from reader.close()


def open_amount(path: str, size: int = 4096) -> int:
    """The cents of all invoices whose state is "open"."""
    return sum(int(row["cents"]) for row in rows(path, size) if row["state"] == "open")
