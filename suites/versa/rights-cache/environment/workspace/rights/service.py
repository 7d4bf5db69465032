"""Carries out commands and answers questions."""

from __future__ import annotations

from collections.abc import Iterable

from rights.cache import Cache
from rights.grants import Grants
from rights.groups import Groups


class Refused(ValueError):
    """Raised for a command that cannot be carried out; nothing is changed by it."""


class Service:
    """Groups, grants, and a cache before them."""

    def __init__(self) -> None:
        self._groups = Groups()
        self._grants = Grants()
        self._cache = Cache()
        self.computed = 0
        """How many answers were computed, and not taken from the cache."""

    def level(self, user: str, path: str) -> int:
        """What a user may do in a folder."""
        known = self._cache.get(user, path)
        if known is not None:
            return known
        self.computed += 1
        level = self._grants.level({user} | self._groups.groups_of(user), path)
        self._cache.keep(user, path, level)
        return level

    def run(self, lines: Iterable[str]) -> list[int]:
        """Carries out commands, one in each line, and gives the answers to those that ask.

        Refused for a line that is no command, or one that cannot be carried out; those before it have been.
        """
        answers = []
        for line in lines:
            try:
                answer = self._command(line.split())
            except ValueError as error:
                raise Refused(f"{line.strip()}: {error}") from error
            if answer is not None:
                answers.append(answer)
        return answers

    def _command(self, words: list[str]) -> int | None:
        match words:
            case ["ask", user, path]:
                return self.level(user, path)
            case ["grant", name, path, level]:
                self._grants.grant(name, path, int(level))
                self._cache.forget_folder(path)
            case ["revoke", name, path]:
                self._grants.revoke(name, path)
                self._cache.forget_folder(path)
            case ["join", member, group] if group.startswith("@"):
                self._groups.join(member, group)
                self._cache.forget_users(self._groups.users_of(member))
            case ["leave", member, group]:
                self._groups.leave(member, group)
                self._cache.forget_users(self._groups.users_of(member))
            case _:
                raise ValueError("not a command")
        return None
