"""The ordered steps of a trial, with everything that ATIF v1.7 holds of a step: the ordered steps of a trial, with
everything that ATIF v1.7 holds of a step.

A step says who acted. An agent's step may carry tool calls, and the observations that answer them; a user's or the
system's step carries a message. Text is kept as it was: cleaning is the reader's business. What a helper of the agent
did stands among the other steps, in the order in which it happened, under the name of its own thread.
"""

from typing import Literal

import msgspec

from honestly.records._base import Record
from honestly.records._trial import Usage


class Picture(Record, frozen=True, kw_only=True):
    """An image that a step or an observation carries."""

    media_type: str = "image/png"
    data: bytes = b""
    """The file itself; empty where only its place is known."""
    path: str = ""
    """Where it lies, as the source of an imported trajectory names it."""


class Subagent(Record, frozen=True, kw_only=True):
    """Where to find the steps of a helper that an observation mentions. One of the three says it."""

    thread: str = ""
    """The thread of this trajectory whose steps they are."""
    path: str = ""
    """Another trajectory's file."""
    session: str = ""


class ToolDefinition(Record, frozen=True, kw_only=True):
    """A tool that was offered to the model."""

    name: str
    doc: str = ""
    schema: msgspec.Raw = msgspec.Raw(b"{}")
    """JSON schema of its arguments, as it was sent."""


class ToolCall(Record, frozen=True, kw_only=True):
    """A request to use a tool."""

    id: str
    """Unique in its step; the observation that answers it names it."""
    name: str
    arguments: dict[str, msgspec.Raw] = {}
    """Arguments by name, each as the JSON that was sent."""

    @classmethod
    def of(cls, call_id: str, name: str, **arguments: object) -> "ToolCall":
        """A call with plain Python arguments."""
        raw = {key: msgspec.Raw(msgspec.json.encode(value)) for key, value in arguments.items()}
        return cls(id=call_id, name=name, arguments=raw)

    def argument(self, name: str) -> object:
        """One argument as plain Python data; None where it is absent."""
        raw = self.arguments.get(name)
        return None if raw is None else msgspec.json.decode(raw)


class Observation(Record, frozen=True, kw_only=True):
    """The result of a tool, or an unrequested message of the environment."""

    text: str
    call_id: str | None = None
    """The tool call that it answers; None for one that nobody asked for."""
    code: int | None = None
    """Exit status, where the tool was a command that ended."""
    dropped: int = 0
    """Bytes of output that were not kept."""
    images: tuple[Picture, ...] = ()
    subagents: tuple[Subagent, ...] = ()
    """Helpers whose work the text sums up."""


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
    images: tuple[Picture, ...] = ()
    """Images of the message."""
    thread: str = ""
    """Which helper of the agent it belongs to; empty for the agent itself."""
    effort: str = ""
    """How hard the model was asked to think, in its own words."""
    llm_calls: int | None = None
    """Answers of the model that it stands for; 0 where no model was asked, None where that is not known."""
    copied: bool = False
    """Whether it repeats an earlier trajectory as context."""
    logprobs: tuple[tuple[str, float], ...] = ()
    """Tokens of the answer with the natural logarithms of their probabilities, where the server gave them."""
    token_ids: tuple[int, ...] = ()
    """Tokens of the answer by number, where the server gave them."""
    prompt_token_ids: tuple[int, ...] = ()
    """Tokens that the model read."""
    estimated_tokens: int | None = None
    """Of a call of a model that reported no usage: about how many tokens it read and wrote."""


class Trajectory(Record, frozen=True, kw_only=True):
    """The steps of one trial, in order, and how they ended."""

    steps: tuple[Step, ...] = ()
    stop: str = ""
    """Why it ended: `done`, `gave up`, `time limit`, an error, ..."""
    session: str = ""
    """What the agent's program calls the run, where it has a name for it."""
    tools: tuple[ToolDefinition, ...] = ()
    """The tools that the model was told of."""
    continued: str = ""
    """Where the trajectory goes on, if it does in another file."""
    notes: str = ""

    @property
    def head(self) -> "Trajectory":
        """Everything but the steps and the end."""
        return msgspec.structs.replace(self, steps=(), stop="")
