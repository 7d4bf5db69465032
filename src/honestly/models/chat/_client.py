"""A client for servers that speak OpenAI's chat completions: vLLM, llama.cpp, Ollama, and proxies before others.

`http://localhost:8000/v1#qwen3-coder` is the address and the name of the model there. A reply is read whole, or as a
stream where somebody listens to it; both give the same message. What a server gives beyond the text is kept: calls of
tools, thoughts, logarithms of probabilities and numbers of tokens.

Three things of a conversation cannot be said as they are. A tool's images follow in a user's message after the tools'
answers, since a tool's message holds text only. Arguments that are not a JSON object are sent as one that holds their
text: servers parse what they are sent, and refuse the whole conversation otherwise. What a model thought goes back only
where the server gave it by a name of its own (`Message.opaque`).

Vendors' own services are better asked through `honestly[models]`, which knows what is theirs alone.

Source: the OpenAI API reference, "Create chat completion"; vLLM's and llama.cpp's documentation of their servers.
"""

import base64
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from honestly.errors import ModelError
from honestly.models._api import NO_SETTINGS, Call, Image, Message, Settings, ToolSpec
from honestly.models._sent import read_sent
from honestly.models.chat._http import Endpoint, Reply, check_key, loads, printable_line
from honestly.models.chat._reply import Deltas, read_reply
from honestly.models.chat._sse import EventReader

MODEL_KEY = "HONESTLY_MODEL_KEY"
"""The variable with the key for a server at an address of its own."""

_NO_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """Options of the client of a chat server."""

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
        try:
            parts = urlsplit(url)
            good = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            good = False
        if not good:
            raise ModelError(
                f"{printable_line(url, 200)!r} is not the address of a server; expected one such as "
                "http://localhost:8000/v1"
            )
        if parts.username or parts.password:
            raise ModelError(
                "an address must not hold a user or a password, because it is shown; put the key into a variable"
            )
        self._url = url.rstrip("/")
        self._model = model
        self.name = name or f"{self._url}#{model}"
        self._options = options
        check_key(key)
        headers, secrets = ({"authorization": f"Bearer {key}"}, (key,)) if key else ({}, ())
        self._endpoint = Endpoint(url=self._url, headers=headers, secrets=secrets, max_bytes=options.max_bytes)

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled_model, (self._url, self._model, self.name, self._options, bool(self._endpoint.secrets))

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message."""
        body = self._request_body(messages, tools, settings)
        sent = read_sent(body, settings, self._model)
        async with self._endpoint.post("/chat/completions", body, settings.timeout_s) as reply:
            if reply.kind == "text/event-stream":
                return read_reply(await self._streamed_reply(reply), sent, self._url)
            whole = await reply.whole_body()
        try:
            found = loads(whole)
        except ValueError:
            text = printable_line(whole.decode("utf-8", "replace"), 200)
            raise ModelError(
                f"{self._url} did not answer with JSON: {text!r}; is this the address of its API?"
            ) from None
        message = read_reply(found, sent, self._url)
        if self._options.heard and message.text:
            self._options.heard(message.text)
        return message

    def _request_body(self, messages: Sequence[Message], tools: Sequence[ToolSpec], settings: Settings) -> bytes:
        options = self._options
        body: dict[str, Any] = {"model": self._model, "messages": _chat_messages(messages)}
        if tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.doc,
                        "parameters": dict(tool.schema) or _NO_ARGUMENTS,
                    },
                }
                for tool in tools
            ]
        if options.stream or options.heard:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if options.token_ids:
            body["return_token_ids"] = True
        named = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "seed": settings.seed,
            "max_tokens": settings.max_tokens,
            "stop": list(settings.stop) or None,
            "reasoning_effort": settings.effort,
            "logprobs": settings.logprobs or settings.top_logprobs is not None or None,
            "top_logprobs": settings.top_logprobs,
            "response_format": _format(settings.schema),
        }
        return json.dumps(
            body | {name: value for name, value in named.items() if value is not None} | dict(options.extra)
        ).encode()

    async def _streamed_reply(self, reply: Reply) -> object:
        events, deltas = EventReader(), Deltas(self._url)
        async for piece in reply.pieces():
            for event in events.feed(piece):
                if event.data.strip() == "[DONE]":
                    deltas.ended = True
                    return deltas.reply()
                self._add(deltas, event.data)
        for event in events.final_events():
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
            text = printable_line(data, 200)
            raise ModelError(f"{self._url} sent something other than JSON in its stream: {text!r}") from None
        text = deltas.take_chunk(chunk)
        if text and self._options.heard:
            self._options.heard(text)


def _unpickled_model(url: str, model: str, name: str, options: ChatOptions, keyed: bool) -> ChatModel:
    """A client that was pickled, which leaves out its key: it takes that of the environment in which it is opened.

    Raises:
        ModelError: It had a key, and there is none.
    """
    key = os.environ.get(MODEL_KEY, "") if keyed else ""
    if keyed and not key:
        raise ModelError(
            f"{name} needs its key on the machine that calls it; set {MODEL_KEY} there, because keys are not sent "
            "to workers"
        )
    return ChatModel(url, model, key=key, name=name, options=options)


def _chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    body: list[dict[str, Any]] = []
    waiting: list[Image] = []
    for message in messages:
        if waiting and message.role != "tool":
            body.append(_image_message(waiting))
            waiting = []
        body.append(_chat_message(message))
        if message.role == "tool":
            waiting += message.images
    if waiting:
        body.append(_image_message(waiting))
    return body


def object_text(arguments: str) -> str:
    """Arguments as the JSON of an object, whatever the model wrote."""
    if not arguments.strip():
        return "{}"
    try:
        if isinstance(loads(arguments), dict):
            return arguments
    except ValueError:
        pass
    return json.dumps({"malformed": arguments})


def _format(schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if schema is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": True}}


def _chat_message(message: Message) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.role == "tool":
        body["tool_call_id"] = message.call_id or ""
    elif message.role == "assistant":
        # The opaque data that a chat server gave with the message; nothing where another client made it.
        try:
            found = loads(message.opaque or b"{}")
        except ValueError:
            extra = {}
        else:
            chat = found.get("chat") if isinstance(found, dict) else None
            extra = chat if isinstance(chat, dict) else {}
        if message.calls:
            body["tool_calls"] = [_call_body(call, extra) for call in message.calls]
        body |= {key: extra[key] for key in ("reasoning_content", "reasoning", "reasoning_details") if key in extra}
    elif message.images:
        text = [{"type": "text", "text": message.text}] if message.text else []
        body["content"] = text + [_image_part(image) for image in message.images]
    return body


def _call_body(call: Call, extra: Mapping[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {"id": call.id, "type": "function"}
    body["function"] = {"name": call.name, "arguments": object_text(call.arguments)}
    signed = extra.get("calls")
    if isinstance(signed, dict) and call.id in signed:
        body["extra_content"] = signed[call.id]
    return body


def _image_message(images: Sequence[Image]) -> dict[str, Any]:
    text = {"type": "text", "text": "The pictures that the tools returned:"}
    return {"role": "user", "content": [text, *map(_image_part, images)]}


def _image_part(image: Image) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}}
