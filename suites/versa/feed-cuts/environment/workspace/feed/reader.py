"""From bytes to rows by the names of their columns."""

from __future__ import annotations

from feed.decoder import Decoder
from feed.scanner import Broken, Scanner


class Reader:
    """Takes bytes piece by piece. The first row has the names of the columns; every other one needs as many fields."""

    def __init__(self) -> None:
        self._decoder = Decoder()
        self._scanner = Scanner()
        self._names: list[str] | None = None

    def push(self, data: bytes) -> list[dict[str, str]]:
        """The rows that are complete by now. Broken for one with too few or too many fields."""
        return self._named(self._scanner.feed(self._decoder.feed(data)))

    def close(self) -> list[dict[str, str]]:
        """What is left when no more bytes come."""
        rows = self._scanner.feed(self._decoder.feed(b"", final=True))
        return self._named(rows + self._scanner.close())

    def _named(self, rows: list[list[str]]) -> list[dict[str, str]]:
        found = []
        for row in rows:
            if self._names is None:
                self._names = row
                continue
            if len(row) != len(self._names):
                raise Broken(f"{len(row)} fields instead of {len(self._names)}: {row}")
            found.append(dict(zip(self._names, row, strict=True)))
        return found
