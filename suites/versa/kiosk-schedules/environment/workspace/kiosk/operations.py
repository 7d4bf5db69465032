"""What a worker can do in one step."""

from typing import NamedTuple


class Read(NamedTuple):
    """Reads a cell; its value is what the step gives."""

    cell: str


class Write(NamedTuple):
    """Writes a cell."""

    cell: str
    value: object


class Lock(NamedTuple):
    """Takes a lock; as long as another worker has it, the step does nothing."""

    name: str


class Unlock(NamedTuple):
    """Gives a lock back."""

    name: str
