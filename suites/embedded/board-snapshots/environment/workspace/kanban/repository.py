"""Loads and saves boards."""

from __future__ import annotations

from kanban.board import Board
from kanban.events import EventStore


class Repository:
    """Boards by name, on top of an event store."""

    def __init__(self, events: EventStore) -> None:
        self._events = events

    def load(self, name: str, version: int | None = None) -> Board:
        """A board as it is now, or as it was at a version. A board without events is empty.

        Raises:
            ValueError: there is no such version yet, or it is negative.
        """
        current = self._events.version(name)
        if version is not None and not 0 <= version <= current:
            raise ValueError(f"{name} has the versions 0 to {current}, not {version}")
        board = Board(name)
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
