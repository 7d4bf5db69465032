"""Grants: levels by name and folder."""

from __future__ import annotations

from collections.abc import Iterable


def above(path: str) -> list[str]:
    """A folder and those above it, the nearest first: "/a/b" gives "/a/b", "/a" and "/"."""
    parts = path.strip("/").split("/") if path != "/" else []
    return ["/" + "/".join(parts[:size]) for size in range(len(parts), -1, -1)]


class Grants:
    """Levels from 0 (nothing) to 9 that somebody has been given for a folder and what is below."""

    def __init__(self) -> None:
        self._levels: dict[tuple[str, str], int] = {}

    def grant(self, name: str, path: str, level: int) -> None:
        """Gives a level, in place of the one before."""
        self._levels[name, path] = level

    def revoke(self, name: str, path: str) -> None:
        """Takes a grant back. ValueError if there is none."""
        if (name, path) not in self._levels:
            raise ValueError(f"{name} has no grant for {path}")
        del self._levels[name, path]

    def level(self, names: Iterable[str], path: str) -> int:
        """The level of somebody with these names: the highest that one of them has in the nearest folder where any has."""
        wanted = list(names)
        for folder in above(path):
            levels = [self._levels[name, folder] for name in wanted if (name, folder) in self._levels]
            if levels:
                return max(levels)
        return 0
