"""Parts of a check that are done once: each is a line of a journal, from which the same command goes on."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from honestly.work import Journal

T = TypeVar("T")
Tell = Callable[[str], None]
"""Told what is being done, or what was found."""


class _Row(msgspec.Struct, frozen=True):
    key: str
    value: msgspec.Raw


class KeptParts:
    """The parts of a check that are done, and those still to do."""

    def __init__(self, journal: Journal) -> None:
        """Reads what was done before; the journal is open."""
        self._journal = journal
        self._done = {
            row.key: row.value for row in journal.rows(msgspec.json.Decoder(_Row).decode, "a part of a check")
        }

    async def part(self, key: str, kind: type[T] | Any, make: Callable[[], Awaitable[T]]) -> T:  # noqa: ANN401 - a union is no type
        """The part of this name: as it was done before, or done now."""
        if key not in self._done:
            self.keep(key, await make())
        found: T = msgspec.json.decode(self._done[key], type=kind)
        return found

    def keep(self, key: str, value: object) -> None:
        """Keeps a part that was done elsewhere."""
        self._done[key] = msgspec.Raw(msgspec.json.encode(value))
        self._journal.append(msgspec.json.encode(_Row(key, self._done[key])))

    def value(self, key: str, kind: Any) -> Any:  # noqa: ANN401 - a union is no type
        """A part that was done before, if it was."""
        return msgspec.json.decode(self._done[key], type=kind) if key in self._done else None

    def __contains__(self, key: str) -> bool:
        return key in self._done
