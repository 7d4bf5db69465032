"""The interface of models: a function from messages and tools to the next message; and what it may answer with.

Everything else is a wrapper around that function: budget, cache, retry, rate limit, record, replay. Nothing here knows
a vendor. A call's arguments are the text that the model wrote, valid or not, since what was written is what happened.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from honestly.records import Usage

_UNKNOWN = Usage()


@dataclass(frozen=True, slots=True)
class Call:
    """A request to use a tool, as the model wrote it."""

    id: str
    name: str
    arguments: str
    """JSON of an object, if the model got it right."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a message."""

    data: bytes
    media_type: str = "image/png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The request that really went to the model, as far as the client knows.

    A study of noise depends on these settings.
    """

    model: str
    """The name that was asked for on the wire."""
    settings: Mapping[str, Any]
    """Sampling parameters in the request's body, under the names that stood there."""
    dropped: tuple[str, ...] = ()
    """Settings that the caller gave and that did not reach the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    images: tuple[Image, ...] = ()
    calls: tuple[Call, ...] = ()
    """Of an assistant's message: the tools that it wants used."""
    call_id: str | None = None
    """Of a tool's message: the call that it answers."""
    thinking: str = ""
    """What the model thought, where it is shown."""
    usage: Usage = _UNKNOWN
    model: str = ""
    """The model that answered, by its own name."""
    stop: str = ""
    """Why the answer ended: `end`, `calls`, `length`, `refusal`, `filter`; empty where the server did not say."""
    logprobs: tuple[tuple[str, float], ...] = ()
    """Tokens of the text with the natural logarithms of their probabilities, where the server gives them."""
    top_logprobs: tuple[tuple[tuple[str, float], ...], ...] = ()
    """For each token of the text, the likeliest at its place, if asked for and given (`Settings.top_logprobs`)."""
    token_ids: tuple[int, ...] = ()
    """The tokens of the answer by number, where the server gives them."""
    sent: Sent | None = None
    opaque: bytes = b""
    """What a provider wants back with this message in the next request, and nobody else reads (JSON)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """The description of a tool for a model."""

    name: str
    doc: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    """JSON schema of its arguments: an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model samples; None leaves a setting to the server.

    What a server cannot take is reported in `Sent.dropped`.
    """

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    effort: str | None = None
    """How hard a reasoning model shall think, in its own words (`low`, `medium`, `high`)."""
    logprobs: bool = False
    top_logprobs: int | None = None
    """How many of the likeliest tokens shall be named at each place; asks for `logprobs`, too."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of an object that the answer's text shall be. Servers promise more than they keep: check the text."""
    timeout_s: float = 600.0
    """Seconds that one answer may take; not sent."""


NO_SETTINGS = Settings()


class Model(Protocol):
    """A model: anything that answers a conversation with the next message."""

    @property
    def name(self) -> str:
        """The name that reports print: `openai:gpt-5`, `http://localhost:8000/v1#qwen3-coder`."""
        ...

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """Return the assistant's next message.

        Raises:
            ModelError: No answer came; `transient` says whether asking again may help.
            BudgetError: The budget does not allow another call.
        """
        ...
