"""A client for servers that speak OpenAI's chat completions: vLLM, llama.cpp, Ollama, and proxies before others.

`http://localhost:8000/v1#qwen3-coder` is the address and the name of the model there. A reply is read whole, or as a
stream where somebody listens to it; both give the same message. What a server gives beyond the text is kept: calls of
tools, thoughts, logarithms of probabilities and numbers of tokens.

Vendors' own services are better asked through `honestly[models]`, which knows what is theirs alone.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from honestly.errors import ModelError
from honestly.models._api import NO_SETTINGS, Message, Settings, ToolSpec
from honestly.models._sent import read_sent
from honestly.models.chat._http import Endpoint, Reply, check_key, loads, printable
from honestly.models.chat._reply import Deltas, read_reply
from honestly.models.chat._request import chat_messages, chat_settings, chat_tools
from honestly.models.chat._sse import EventReader


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """How a chat server is spoken to."""

    stream: bool = False
    """Ask for the reply in pieces, as it is made: keeps connections alive that something between would cut."""
    heard: Callable[[str], object] | None = None
    """Is given the text in pieces, as it comes; implies `stream`."""
    token_ids: bool = False
    """Ask for the numbers of the tokens (vLLM's `return_token_ids`)."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What the request's body shall hold beside: `{"top_k": 20, "chat_template_kwargs": {...}}`."""
    max_bytes: int = 64 << 20
    """Of one reply; one that is longer is an error."""


_NO_OPTIONS = ChatOptions()


class ChatModel:
    """A model on a chat server."""

    def __init__(
        self, url: str, model: str, *, key: str = "", name: str = "", options: ChatOptions = _NO_OPTIONS
    ) -> None:
        """A client; nothing is sent yet.

        Args:
            url: Up to the path that all requests have in common: `http://localhost:8000/v1`.
            model: Its name on the wire.
            key: Sent as a bearer token, where there is one; it appears nowhere else.
            name: What reports call it; `url#model` if empty.
            options: How the server is spoken to.

        Raises:
            ModelError: The address or the key cannot be one.
        """
        self._url = _checked(url)
        self._model = model
        self.name = name or f"{self._url}#{model}"
        self._options = options
        headers, secrets = _authorization(key)
        self._endpoint = Endpoint(url=self._url, headers=headers, secrets=secrets, max_bytes=options.max_bytes)

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r})"

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message."""
        body = self._body(messages, tools, settings)
        sent = read_sent(body, settings, self._model)
        async with self._endpoint.post("/chat/completions", body, settings.timeout_s) as reply:
            if reply.kind == "text/event-stream":
                return read_reply(await self._streamed(reply), sent, self._url)
            whole = await reply.whole()
        try:
            found = loads(whole)
        except ValueError:
            text = printable(whole.decode("utf-8", "replace"), 200)
            raise ModelError(
                f"{self._url} answered with something else than JSON: {text!r}; is this the address of its API?"
            ) from None
        message = read_reply(found, sent, self._url)
        if self._options.heard and message.text:
            self._options.heard(message.text)
        return message

    def _body(self, messages: Sequence[Message], tools: Sequence[ToolSpec], settings: Settings) -> bytes:
        options = self._options
        body: dict[str, Any] = {"model": self._model, "messages": chat_messages(messages)}
        if tools:
            body["tools"] = chat_tools(tools)
        if options.stream or options.heard:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if options.token_ids:
            body["return_token_ids"] = True
        return json.dumps(body | chat_settings(settings) | dict(options.extra)).encode()

    async def _streamed(self, reply: Reply) -> object:
        events, deltas = EventReader(), Deltas(self._url)
        async for piece in reply.pieces():
            for event in events.feed(piece):
                if event.data.strip() == "[DONE]":
                    deltas.ended = True
                    return deltas.reply()
                self._add(deltas, event.data)
        for event in events.end():
            if event.data.strip() != "[DONE]":
                self._add(deltas, event.data)
        if not deltas.ended:
            message = f"{self._url} ended its stream before its answer ended; ask again"
            raise ModelError(message, transient=True)
        return deltas.reply()

    def _add(self, deltas: Deltas, data: str) -> None:
        if not data.strip():
            return
        try:
            chunk = loads(data)
        except ValueError:
            text = printable(data, 200)
            raise ModelError(f"{self._url} sent something else than JSON in its stream: {text!r}") from None
        text = deltas.add(chunk)
        if text and self._options.heard:
            self._options.heard(text)


def _checked(url: str) -> str:
    """The address without what must not be in it.

    Raises:
        ModelError: It is not an address of a server.
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise ModelError(
            f"{printable(url, 200)!r} is not the address of a server; expected one such as http://localhost:8000/v1"
        )
    if parts.username or parts.password:
        raise ModelError(
            "an address must not hold a user or a password, since it is shown; put the key into a variable"
        )
    return url.rstrip("/")


def _authorization(key: str) -> tuple[dict[str, str], tuple[str, ...]]:
    if not key:
        return {}, ()
    check_key(key)
    return {"authorization": f"Bearer {key}"}, (key,)
