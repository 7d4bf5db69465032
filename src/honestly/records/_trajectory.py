"""What was done, step by step: the ordered steps of a trial, with everything that ATIF v1.7 holds of a step.

A step says who acted. An agent's step may carry tool calls, and the observations that answer them; a user's or the
system's step carries a message. Text is kept as it was: cleaning is the reader's business.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from honestly.records._base import Record
from honestly.records._trial import Usage

__all__ = ["Observation", "Step", "ToolCall", "Trajectory"]


class ToolCall(Record, frozen=True, kw_only=True):
    """A request to use a tool."""

    id: str
    """Unique in its step; the observation that answers it names it."""
    name: str
    arguments: dict[str, msgspec.Raw] = {}
    """Arguments by name, each as the JSON that was sent."""

    @classmethod
    def of(cls, call_id: str, name: str, **arguments: object) -> ToolCall:
        """A call with plain Python arguments."""
        raw = {key: msgspec.Raw(msgspec.json.encode(value)) for key, value in arguments.items()}
        return cls(id=call_id, name=name, arguments=raw)

    def argument(self, name: str) -> object:
        """One argument as plain Python data; None where it is absent."""
        raw = self.arguments.get(name)
        return None if raw is None else msgspec.json.decode(raw)


class Observation(Record, frozen=True, kw_only=True):
    """What came back from a tool, or from the environment unasked."""

    text: str
    call_id: str | None = None
    """The tool call that it answers; None for one that nobody asked for."""
    code: int | None = None
    """Exit status, where the tool was a command that ended."""
    dropped: int = 0
    """Bytes of output that were not kept."""


class Step(Record, frozen=True, kw_only=True):
    """One step."""

    source: Literal["system", "user", "agent"]
    message: str = ""
    reasoning: str = ""
    """What the model thought, where it is shown."""
    calls: tuple[ToolCall, ...] = ()
    observations: tuple[Observation, ...] = ()
    model: str = ""
    """The model that wrote an agent's step, where known."""
    usage: Usage = Usage()
    at: str | None = None
    """When it began, ISO 8601, UTC."""
    seconds: float | None = None


class Trajectory(Record, frozen=True, kw_only=True):
    """The steps of one trial, in order, and how they ended."""

    steps: tuple[Step, ...] = ()
    stop: str = ""
    """Why it ended: `done`, `gave up`, `time limit`, an error, ..."""
