"""What the depot has."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from depot.names import key


class Missing(KeyError):
    """Raised for a tool that the depot does not have."""


@dataclass
class Tool:
    """A tool: its name, its rate in cents per day, who has it, and who waits for it."""

    name: str
    rate: int
    holder: str | None = None
    waiting: list[str] = field(default_factory=list)


class Store:
    """Tools by the key of their name."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {key(tool.name): tool for tool in tools}

    def all(self) -> list[Tool]:
        """All tools, in the order in which they came."""
        return list(self._tools.values())

    def find(self, name: str) -> Tool:
        """A tool by a spelling of its name."""
        try:
            return self._tools[key(name)]
        except KeyError as error:
            raise Missing(name) from error

    def add(self, tool: Tool) -> None:
        """Adds a tool, in the place of one of the same name."""
        self._tools[key(tool.name)] = tool

    def queue(self, name: str) -> list[str]:
        """Who waits for a tool; of one that is not there, nobody."""
        try:
            return self.find(name).waiting
        except LookupError:
            return []
