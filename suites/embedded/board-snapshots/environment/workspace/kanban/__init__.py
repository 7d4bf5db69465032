"""Kanban boards that are stored as what happened to them."""

from kanban.board import Board, UnknownCard
from kanban.events import Conflict, EventStore
from kanban.repository import Repository
from kanban.snapshots import SnapshotStore

__all__ = ["Board", "Conflict", "EventStore", "Repository", "SnapshotStore", "UnknownCard"]
