"""Keeps answers until they may have changed."""

from __future__ import annotations

from collections.abc import Collection

from rights.grants import above


class Cache:
    """Levels by user and folder."""

    def __init__(self) -> None:
        self._levels: dict[tuple[str, str], int] = {}

    def get(self, user: str, path: str) -> int | None:
        """The level that is kept, or None."""
        return self._levels.get((user, path))

    def keep(self, user: str, path: str, level: int) -> None:
        """Keeps a level."""
        self._levels[user, path] = level

    def forget_users(self, users: Collection[str]) -> None:
        """Forgets all about some users."""
        self._levels = {key: level for key, level in self._levels.items() if key[0] not in users}

    def forget_folder(self, path: str) -> None:
        """Forgets all about a folder and what is below."""
        self._levels = {key: level for key, level in self._levels.items() if path not in above(key[1])}
