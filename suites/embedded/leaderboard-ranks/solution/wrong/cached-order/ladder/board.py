"""The standings: points by player, ranks, and parts of the ordered list.

The ordered list and the ranks are worked out once and kept until a player's points change.
"""

from __future__ import annotations


class UnknownPlayer(KeyError):
    """Raised for a player who has no points on the board."""


class Board:
    """Points of all players.

    The standings are ordered by points, most first, and by name among equal points. Players with equal points share a
    rank; the rank after them skips as many places as they are (1, 1, 3).
    """

    def __init__(self) -> None:
        self._points: dict[str, int] = {}
        self._order: list[tuple[str, int]] | None = None
        self._ranks: dict[int, int] = {}

    def __len__(self) -> int:
        """Number of players on the board."""
        return len(self._points)

    def __contains__(self, player: object) -> bool:
        """Whether the player is on the board."""
        return player in self._points

    def submit(self, player: str, points: int) -> None:
        """Sets a player's points; they replace whatever the player had."""
        if self._points.get(player) != points:
            self._points[player] = points
            self._order = None

    def remove(self, player: str) -> None:
        """Takes a player off the board.

        Raises:
            UnknownPlayer: the player is not on it.
        """
        if player not in self._points:
            raise UnknownPlayer(player)
        del self._points[player]
        self._order = None

    def points(self, player: str) -> int:
        """Points of a player.

        Raises:
            UnknownPlayer: the player is not on the board.
        """
        if player not in self._points:
            raise UnknownPlayer(player)
        return self._points[player]

    def rank(self, player: str) -> int:
        """Rank of a player, from 1.

        Raises:
            UnknownPlayer: the player is not on the board.
        """
        mine = self.points(player)
        self._standings()
        return self._ranks[mine]

    def top(self, count: int) -> list[tuple[str, int]]:
        """The first `count` players of the standings with their points; fewer if there are fewer.

        Raises:
            ValueError: `count` is negative.
        """
        if count < 0:
            raise ValueError(f"count must not be negative: {count}")
        return self._standings()[:count]

    def around(self, player: str, width: int) -> list[tuple[str, int]]:
        """A player between up to `width` neighbours on each side, in the order of the standings.

        Raises:
            UnknownPlayer: the player is not on the board.
            ValueError: `width` is negative.
        """
        mine = self.points(player)
        if width < 0:
            raise ValueError(f"width must not be negative: {width}")
        standings = self._standings()
        place = standings.index((player, mine))
        return standings[max(0, place - width) : place + width + 1]

    def _standings(self) -> list[tuple[str, int]]:
        if self._order is None:
            self._order = sorted(self._points.items(), key=lambda entry: (-entry[1], entry[0]))
            self._ranks = {}
            for place, (_name, points) in enumerate(self._order, start=1):
                self._ranks.setdefault(points, place)
        return self._order
