"""The interface of API dialects: how a request is understood, and how an answer is said in it.

A dialect is six functions. `parse` reads a request, `whole` and `stream` say a message, `gather` puts a stream's events
together into what the whole reply would have been, `read` reads that, `error` says why there is no answer. What a
request holds that `ParsedRequest` has no place for is named there, so that nothing is dropped without a word. `_chat`,
`_responses`, `_anthropic` and `_gemini` hold one dialect each; `proxy/_question` says which path belongs to which.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from honestly.errors import ModelError
from honestly.models._api import NO_SETTINGS, Message, Settings, ToolSpec
from honestly.models.chat._http import loads
from honestly.models.chat._sse import Event

Object = Mapping[str, Any]
"""A JSON object."""

_MALFORMED = "INVALID_JSON"
_PIECES = 32
_PIECE = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedRequest:
    """A request, as far as every model can be asked it."""

    model: str
    """The name that the client asks for."""
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    settings: Settings = NO_SETTINGS
    stream: bool = False
    """Whether the answer shall come in pieces."""
    unexpressed: tuple[str, ...] = ()
    """Where in the body something stands that the fields above do not say: `messages[].content[].cache_control`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyIdentity:
    """The identity of a reply: identifier, time, model."""

    id: str
    """Letters and digits; a dialect puts its own prefix before them."""
    at: int
    """Seconds since 1970."""
    model: str
    """The name that the client asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The API of one vendor, as functions that all take hostile input."""

    name: str
    parse: Callable[[Object], ParsedRequest]
    """Reads a request's body; raises FormatError where it is malformed."""
    whole: Callable[[Message, Object, ReplyIdentity], dict[str, Any]]
    """A message as the reply to the request with this body."""
    stream: Callable[[Message, Object, ReplyIdentity], Iterator[bytes]]
    """A message as the events of a stream, ready to be sent."""
    gather: Callable[[Iterable[Event]], dict[str, Any]]
    """What the whole reply would have been, of a stream that may have broken off."""
    read: Callable[[Object], Message]
    """The message in a whole reply; raises ModelError where there is none."""
    error: Callable[[int, str], dict[str, Any]]
    """The body of a refusal, by HTTP status and reason."""
    broken: Callable[[int, str, ReplyIdentity], bytes]
    """A refusal as the last event of a stream that has begun."""
    waiting: bytes = b": the model has not answered yet\n\n"
    """What may be sent in a stream to keep the connection alive; empty where clients do not bear it."""


def json_bytes(value: object) -> bytes:
    """JSON on one line. Halves of characters, which are not text, become question marks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def sse_frame(value: object, name: str = "") -> bytes:
    """A server-sent event."""
    return (b"event: %b\n" % name.encode() if name else b"") + b"data: %b\n\n" % json_bytes(value)


def event_data(events: Iterable[Event]) -> Iterator[Any]:
    """The data of a stream's events.

    Raises:
        ModelError: One holds something else than JSON.
    """
    for event in events:
        if event.data.strip() not in {"", "[DONE]"}:
            try:
                yield loads(event.data)
            except ValueError as error:
                raise ModelError("the server sent something other than JSON in its stream") from error


def text_pieces(text: str) -> Iterator[str]:
    """A text in at most 32 pieces, as a stream brings it; none where it is empty."""
    size = max(_PIECE, -(-len(text) // _PIECES))
    return (text[start : start + size] for start in range(0, len(text), size))


def object_of(arguments: str) -> dict[str, Any]:
    """A call's arguments, for a dialect that has no place for text there.

    What is not the JSON of an object is wrapped as Anthropic advises for malformed input, so that it can be read back.
    """
    try:
        found = loads(arguments or "{}")
        json.dumps(found, allow_nan=False)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {_MALFORMED: arguments}


def arguments_of(found: object) -> str:
    """A call's arguments as text, of what `object_of` made."""
    if isinstance(found, dict) and found.keys() == {_MALFORMED} and isinstance(found[_MALFORMED], str):
        return str(found[_MALFORMED])
    return json.dumps(found if found is not None else {}, ensure_ascii=False)


def token_count(value: int | None) -> int:
    """A number of tokens in a reply that must have one."""
    return value or 0
