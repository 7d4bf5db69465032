"""A request: how much of one is taken, where it goes, and how a model, an upstream or a record gets it.

Base addresses are written with `/v1` and without it, so both are taken; where two vendors share a path (the list of
models), a header tells them apart.
"""

import dataclasses
import gzip
import io
import json
import re
import zlib
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable
from urllib.parse import parse_qsl, unquote, urlencode

from honestly._zstd import zstd
from honestly.errors import FormatError
from honestly.http import Connection, Head, HttpLimits, Refusal, Reply
from honestly.models._api import Message
from honestly.models.chat._http import loads
from honestly.models.dialects._anthropic import ANTHROPIC
from honestly.models.dialects._chat import CHAT
from honestly.models.dialects._dialect import Dialect, Object, ParsedRequest, ReplyIdentity, json_bytes
from honestly.models.dialects._gemini import GEMINI
from honestly.models.dialects._responses import RESPONSES

DIALECTS = {dialect.name: dialect for dialect in (CHAT, RESPONSES, ANTHROPIC, GEMINI)}
"""All dialects, by name."""

Operation = Literal["answer", "count", "models", "other"]
_POSTS: dict[str, tuple[Dialect, Operation]] = {
    "/chat/completions": (CHAT, "answer"),
    "/responses": (RESPONSES, "answer"),
    "/messages": (ANTHROPIC, "answer"),
    "/messages/count_tokens": (ANTHROPIC, "count"),
}
_GEMINI = re.compile(r"/v1(?:beta|alpha|beta1)?/(?:publishers/google/)?models/([^/:]+):(\w+)")
_GEMINI_CALLS: dict[str, Operation] = {
    "generateContent": "answer",
    "streamGenerateContent": "answer",
    "countTokens": "count",
}
_MODELS = re.compile(r"(/v1|/v1beta)?/models(?:/([^/:]+))?")
_KEY = "key"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyLimits(HttpLimits):
    """The limits of one proxy for those who connect to it."""

    bodies_bytes: int = 256 << 20
    """Of all requests that are being answered, together."""
    reply_bytes: int = 64 << 20
    """Of one reply; one that is longer is broken off."""
    record_bytes: int = 8 << 30
    """Of the record, before it is compressed; when it is full, nothing more is answered."""
    server_tools: bool = False
    """Whether a provider may do for a request what reaches the network: search, fetch, run code, call others."""
    patience_s: float = 10.0
    """Seconds after which a stream is begun though the model has not answered, and kept alive. Until then a failure can
    be reported with its status."""
    answer_s: float = 1200.0
    """Seconds until an answer is given up."""


@dataclass(slots=True)
class Held:
    """The size of all requests' bodies that are in memory."""

    most: int
    taken: int = 0

    async def read(self, connection: Connection) -> bytes:
        """The body of the request whose head has come, as it was sent; the caller gives back its room.

        Raises:
            Refusal: It is too long, does not come, or there is no room for it.
        """
        body = bytearray()
        try:
            async for piece in connection.body(ask=True):
                if self.taken + len(piece) > self.most:
                    raise Refusal(503, "too many large requests at once; ask again")
                self.taken += len(piece)
                body += piece
        except BaseException:
            self.taken -= len(body)
            raise
        return bytes(body)


def decompressed_body(body: bytes, encoding: str, limit: int) -> bytes:
    """A request's body without its compression.

    Raises:
        Refusal: It is compressed in another way, or wrongly, or to more than `limit` bytes.
    """
    try:
        if encoding in {"", "identity"}:
            return body
        if encoding == "gzip":
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
                found = file.read(limit + 1)
        elif encoding == "zstd":
            with zstd.ZstdFile(io.BytesIO(body)) as packed:
                found = packed.read(limit + 1)
        else:
            raise Refusal(415, f"the body's encoding is {encoding[:40]!r}; expected gzip, zstd or none")
    except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
        raise Refusal(400, f"the body is not the {encoding} that it claims to be: {error}") from error
    if len(found) > limit:
        raise Refusal(413, f"the request's body is longer than {limit} bytes; send less")
    return found


@dataclass(frozen=True, slots=True)
class Route:
    """The dialect and the operation that a request asks for."""

    dialect: Dialect
    operation: Operation
    path: str
    """The path at the vendor, from where the base address ends as its own clients write it, with the query."""
    model: str = ""
    """Where the path names it."""
    stream: bool = False
    """Where the path says so."""
    sse: bool = False
    """Of Gemini's streams: as events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request to the proxy, judged and read."""

    head: Head
    route: Route
    made: ReplyIdentity
    """What the reply shall say of itself."""
    raw: bytes = b""
    """Its body, as it was sent."""
    body: bytes = b""
    """Its body without compression."""
    found: Object = field(default_factory=dict)
    """Its body as data, with what the path says beside it; empty where it is not an object."""
    asked: ParsedRequest | None = None
    """What it asks; None where that is not understood, or nothing is asked."""
    why: str = ""
    """Why it is not understood."""

    @property
    def model(self) -> str:
        """The model that is asked for."""
        named = self.found.get("model") or self.route.model
        return named if isinstance(named, str) else ""

    @property
    def stream(self) -> bool:
        """Whether the answer shall come in pieces."""
        return self.found.get("stream") is True

    def read(self, raw: bytes, body: bytes) -> "Question":
        """This request with its body.

        Args:
            raw: As it was sent.
            body: Without compression.
        """
        found, why = _data(body)
        if self.route.model:
            found = {**found, "model": self.route.model}
        if self.route.stream:
            found = {**found, "stream": True}
        asked = None
        if self.route.operation == "answer" and not why:
            try:
                asked = self.route.dialect.parse(found)
            except FormatError as error:
                why = str(error)
        made = dataclasses.replace(self.made, model=str(found.get("model") or ""))
        return dataclasses.replace(self, raw=raw, body=body, found=found, asked=asked, why=why, made=made)


@runtime_checkable
class Answers(Protocol):
    """Who answers the requests of a proxy."""

    async def answer(self, question: Question, reply: Reply) -> Message | None:
        """Write the reply; return the message in it, where it is known better than the reply says it.

        Raises:
            Refusal, ModelError, BudgetError: There is no answer, or no more of it.
        """
        ...


def _data(body: bytes) -> tuple[dict[str, Any], str]:
    """A body as data; empty, and why, where it is not a JSON object."""
    try:
        found = json.loads(body, object_pairs_hook=_once)
        if b"\\ud" in body.lower():
            found = loads(json_bytes(found))  # lone halves of characters, which no model takes, are question marks
    except RecursionError:
        return {}, "the body is nested too deeply"
    except ValueError as error:
        return {}, f"the body is not JSON: {error}"
    return (found, "") if isinstance(found, dict) else ({}, "the body is not a JSON object")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no name stands twice: of two, somebody else could read the other one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def request_route(head: Head) -> Route:
    """Where a request goes; an unknown path is an `other` of the dialect that it looks most like."""
    path, pairs = _split_target(head.target)
    query = [(key, value) for key, value in pairs if key != _KEY]
    ending = f"?{urlencode(query)}" if query else ""
    short = path.removeprefix("/v1")
    if head.method == "POST" and short in _POSTS:
        dialect, operation = _POSTS[short]
        own = f"/v1{short}" if dialect is ANTHROPIC else short
        return Route(dialect, operation, own + ending)
    if head.method == "POST" and (found := _GEMINI.fullmatch(path)) and found[2] in _GEMINI_CALLS:
        stream, sse = found[2].startswith("stream"), ("alt", "sse") in query
        return Route(GEMINI, _GEMINI_CALLS[found[2]], path + ending, unquote(found[1]), stream, sse)
    if head.header_value("anthropic-version") or "/messages" in path:
        dialect = ANTHROPIC
    elif path.startswith(("/v1beta", "/v1alpha")) or head.header_value("x-goog-api-key"):
        dialect = GEMINI
    else:
        dialect = RESPONSES if "/responses" in path else CHAT
    if head.method == "GET" and (found := _MODELS.fullmatch(path)):
        versions = {"anthropic": "/v1", "gemini": "/v1beta"}
        own = versions.get(dialect.name, "") + "/models" + (f"/{found[2]}" if found[2] else "")
        return Route(dialect, "models", own + ending, unquote(found[2] or ""))
    return Route(dialect, "other", path + ending)


def _split_target(target: str) -> tuple[str, list[tuple[str, str]]]:
    """Path and query of a target, which may be a whole address, or nonsense."""
    place, _, query = target.partition("?")
    if place.lower().startswith(("http://", "https://")):
        place = "/" + place.partition("://")[2].partition("/")[2]
    return re.sub(r"//+", "/", place), parse_qsl(query, keep_blank_values=True)


def token_of(head: Head) -> list[str]:
    """The secrets that a request shows, in any of the vendors' ways."""
    bearer = head.header_value("authorization")
    _, query = _split_target(head.target)
    shown = [
        bearer[7:].strip() if bearer[:7].lower() == "bearer " else "",
        *(head.header_value(name) for name in ("x-api-key", "x-goog-api-key", "api-key")),
        *(value for key, value in query if key == _KEY),
    ]
    return [token for token in shown if token]
