"""Keeps states of boards, so that loading one need not start at its first event."""

from __future__ import annotations


class SnapshotStore:
    """Snapshots by board and version, in memory. States are kept as they are given, without a copy."""

    def __init__(self) -> None:
        self._snapshots: dict[str, dict[int, tuple[int, object]]] = {}

    def put(self, name: str, version: int, schema: int, state: object) -> None:
        """Keeps the state of a board at a version; one that was kept for this version before is replaced."""
        self._snapshots.setdefault(name, {})[version] = (schema, state)

    def latest(self, name: str, schema: int, at_most: int | None = None) -> tuple[int, object] | None:
        """Version and state of the latest snapshot with this schema, not later than `at_most`, or None."""
        fitting = [
            (version, state)
            for version, (found, state) in self._snapshots.get(name, {}).items()
            if found == schema and (at_most is None or version <= at_most)
        ]
        return max(fitting, key=lambda pair: pair[0], default=None)

    def versions(self, name: str) -> list[int]:
        """Versions of all snapshots of a board, in ascending order."""
        return sorted(self._snapshots.get(name, {}))
