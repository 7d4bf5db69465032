"""Standings of a game: who has how many points, and which rank that is."""

from ladder.board import Board, UnknownPlayer
from ladder.season import replay

__all__ = ["Board", "UnknownPlayer", "replay"]
