"""What the relay does not decide: messages, and when hosts are up."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """A message that comes at a time, for a host."""

    name: str
    time: int
    host: str
    size: int


@dataclass(frozen=True)
class World:
    """Messages, and outages as (host, from, up to but not including)."""

    messages: tuple[Message, ...]
    outages: tuple[tuple[str, int, int], ...]

    def is_up(self, host: str, time: int) -> bool:
        """Whether a host answers at a time."""
        return not any(host == name and start <= time < end for name, start, end in self.outages)
