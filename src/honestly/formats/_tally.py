"""The defects met during an import, added up by kind and place."""

from collections.abc import Iterator

from honestly.records import Defect

_EXAMPLES = 5


class Tally:
    """Counts defects; two of one kind at one place become one with their sum and the first details as examples.

    Memory grows with the number of places, not of defects.
    """

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], int] = {}
        self._details: dict[tuple[str, str], list[str]] = {}

    def add(self, kind: str, where: str, detail: str = "", count: int = 1) -> None:
        """Count `count` defects of this kind at this place."""
        key = (kind, where)
        self._counts[key] = self._counts.get(key, 0) + count
        details = self._details.setdefault(key, [])
        if detail and detail not in details and len(details) <= _EXAMPLES:
            details.append(detail if len(details) < _EXAMPLES else "...")

    def defects(self) -> Iterator[Defect]:
        """All of them, by kind and place."""
        for kind, where in sorted(self._counts):
            yield Defect(
                kind=kind,
                where=where,
                detail="; ".join(self._details[kind, where]),
                count=self._counts[kind, where],
            )
