"""Asking a vendor's service through `pydantic_ai`, with a tap on the wire. Imported late: it needs the extra.

What goes out is read from the request's body on its way; a reply is taken uncompressed, and bounded.

What a vendor wants back with its own answer (signatures of thoughts, encrypted reasoning) travels in `Message.opaque`:
the whole answer as `pydantic_ai` writes it. It goes back as long as the message's text and calls are still those in it.
"""

import ssl
import warnings
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import httpx2
import msgspec
from pydantic import ValidationError
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import UnsupportedSettingWarning
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from honestly._loose import items_of, nested_dict
from honestly.models._api import Call, Message, Sent, ToolSpec
from honestly.models._codec import plain_data
from honestly.models.chat._client import object_text
from honestly.records import Usage

_CONNECT_S = 30.0
_STOPS = {"stop": "end", "length": "length", "content_filter": "filter", "tool_call": "calls"}
_LEAST_LOGARITHM = -1e300


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream, self._left = stream, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            self._left -= len(piece)
            if self._left < 0:
                raise httpx2.ReadError("the reply is too long")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


class Tap:
    """A client of HTTP that keeps the body of the last request."""

    def __init__(self, most: int, tls: ssl.SSLContext | bool) -> None:
        """A tap.

        Args:
            most: Bytes of one reply.
            tls: How servers are known.
        """
        self.body = b""
        self._most, self._tls = most, tls

    def client(self) -> httpx2.AsyncClient:
        """A client whose requests go past here."""
        hooks: dict[str, list[Any]] = {"request": [self._before_request], "response": [self._after_response]}
        seconds = httpx2.Timeout(None, connect=_CONNECT_S)
        return httpx2.AsyncClient(verify=self._tls, timeout=seconds, event_hooks=hooks)

    async def _before_request(self, request: httpx2.Request) -> None:
        self.body = await request.aread()
        request.headers["accept-encoding"] = "identity"

    async def _after_response(self, response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise httpx2.ReadError("the reply is compressed, which was not asked for")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream, self._most)


async def ask_vendor(
    vendor: tuple[str, str, str, str],
    history: list[ModelMessage],
    parameters: ModelRequestParameters,
    settings: ModelSettings,
    tap: Tap,
) -> ModelResponse:
    """Ask a vendor one thing; `vendor` is its kind, address, key and model.

    Raises:
        AgentRunError: No answer came.
        UserError: It cannot be asked for.
    """
    # `Sent.dropped` says it, for every call.
    warnings.filterwarnings("ignore", category=UnsupportedSettingWarning)
    warnings.filterwarnings("ignore", message="Sampling parameters .* are not supported")
    async with tap.client() as http:
        model = _vendor_model(*vendor, http)
        return await model_request(model, history, model_settings=settings, model_request_parameters=parameters)


def _vendor_model(kind: str, url: str, key: str, name: str, http: httpx2.AsyncClient) -> Model:
    # No retries of the vendors' own clients: that is for `RetryModel` to do, where it can be seen.
    if kind == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        client = AsyncAnthropic(api_key=key, base_url=url, http_client=http, max_retries=0)
        return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))
    if kind == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=url, http_client=http))
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    asking = AsyncOpenAI(api_key=key, base_url=url, http_client=http, max_retries=0)
    provider = OpenAIProvider(openai_client=asking)
    if kind == "openai-chat":
        return OpenAIChatModel(name, provider=provider)
    return OpenAIResponsesModel(name, provider=provider)


def to_history(messages: Sequence[Message]) -> list[ModelMessage]:
    """The conversation; neighbours that are not the model's become one request."""
    history: list[ModelMessage] = []
    names: dict[str, str] = {}
    waiting: list[ModelRequestPart] = []
    for message in messages:
        if message.role != "assistant":
            waiting.append(_part(message, names))
            continue
        names |= {call.id: call.name for call in message.calls}
        if waiting:
            history.append(ModelRequest(parts=waiting))
            waiting = []
        history.append(_own_response(message) or _response(message))
    if waiting:
        history.append(ModelRequest(parts=waiting))
    return history


def to_parameters(tools: Sequence[ToolSpec], schema: Mapping[str, Any] | None) -> ModelRequestParameters:
    """The tools, and the schema that the answer's text shall keep to."""
    empty = {"type": "object", "properties": {}}
    defined = [
        ToolDefinition(name=tool.name, description=tool.doc, parameters_json_schema=dict(tool.schema) or empty)
        for tool in tools
    ]
    if schema is None:
        return ModelRequestParameters(function_tools=defined)
    wanted = OutputObjectDefinition(json_schema=dict(schema), name="answer", strict=True)
    return ModelRequestParameters(function_tools=defined, output_mode="native", output_object=wanted)


def from_response(response: ModelResponse, sent: Sent) -> Message:
    """The answer of a vendor as a message."""
    details = response.provider_details or {}
    calls = tuple(_tool_call(part) for part in response.parts if isinstance(part, ToolCallPart))
    stop = "calls" if calls else _STOPS.get(response.finish_reason or "", "")
    if "refusal" in (details.get("finish_reason"), details.get("stop_reason")) or details.get("refusal"):
        stop = "refusal"
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    if not text and isinstance(details.get("refusal"), str):
        text = details["refusal"]
    logprobs, numbers = _token_logprobs(details.get("logprobs"))
    kept = ModelMessagesTypeAdapter.dump_json([response])
    return Message(
        role="assistant",
        text=plain_data(text),
        calls=calls,
        thinking=plain_data("".join(part.content for part in response.parts if isinstance(part, ThinkingPart))),
        usage=_vendor_usage(response.usage),
        model=response.model_name or "",
        stop=stop,
        logprobs=logprobs,
        top_logprobs=_top_logprobs(details.get("logprobs")),
        token_ids=numbers,
        sent=sent,
        opaque=b'{"pydantic_ai":' + kept + b"}",
    )


def _part(message: Message, names: dict[str, str]) -> ModelRequestPart:
    content: Any = message.text
    if message.images:
        parts: list[UserContent] = [message.text] if message.text else []
        content = [*parts, *(BinaryContent(one.data, media_type=one.media_type) for one in message.images)]
    if message.role == "system":
        return SystemPromptPart(content=message.text)
    if message.role == "user":
        return UserPromptPart(content=content)
    call = message.call_id or ""
    return ToolReturnPart(tool_name=names.get(call, "unknown"), content=content, tool_call_id=call)


def _response(message: Message) -> ModelResponse:
    parts: list[ModelResponsePart] = [TextPart(content=message.text)] if message.text else []
    for call in message.calls:
        parts.append(ToolCallPart(tool_name=call.name, args=object_text(call.arguments), tool_call_id=call.id))
    return ModelResponse(parts=parts or [TextPart(content="(nothing)")])


def _own_response(message: Message) -> ModelResponse | None:
    """The answer that the vendor gave, if this message still is it."""
    if not message.opaque.startswith(b'{"pydantic_ai":'):
        return None
    try:
        found = msgspec.json.decode(message.opaque, type=dict[str, msgspec.Raw])
        (response,) = ModelMessagesTypeAdapter.validate_json(bytes(found["pydantic_ai"]))
    except (msgspec.DecodeError, ValidationError, ValueError, RecursionError):
        return None
    if not isinstance(response, ModelResponse):
        return None
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    text = plain_data("".join(part.content for part in response.parts if isinstance(part, TextPart)))
    if text != message.text or tuple(map(_tool_call, calls)) != message.calls:
        return None
    for part in calls:
        part.args = object_text(_tool_call(part).arguments)
    return response


def _tool_call(part: ToolCallPart) -> Call:
    # What the model wrote, where that is still known: `pydantic_ai` would wrap what is not JSON.
    text = part.args if isinstance(part.args, str) else part.args_as_json_str()
    return Call(part.tool_call_id, part.tool_name, plain_data(text))


def _vendor_usage(usage: RequestUsage) -> Usage:
    if not usage.input_tokens and not usage.output_tokens:
        return Usage()  # no request is of 0 tokens: the server did not say
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )


def _top_logprobs(found: object) -> tuple[tuple[tuple[str, float], ...], ...]:
    """The likeliest tokens at each place, as OpenAI and as Google name them."""
    if isinstance(found, dict):
        places = [items_of(nested_dict(each).get("candidates")) for each in items_of(found.get("top_candidates"))]
    else:
        places = [items_of(nested_dict(each).get("top_logprobs")) for each in items_of(found)]
    named = tuple(
        tuple(
            (each["token"], float(value))
            for each in place
            if isinstance(each, dict)
            and isinstance(each.get("token"), str)
            and isinstance(value := each.get("logprob", each.get("log_probability")), int | float)
            and value > _LEAST_LOGARITHM
        )
        for place in places
    )
    return named if any(named) else ()


def _token_logprobs(found: object) -> tuple[tuple[tuple[str, float], ...], tuple[int, ...]]:
    """Logarithms and numbers of tokens, as OpenAI and as Google name them."""
    if isinstance(found, dict):
        found = found.get("chosen_candidates")
    logprobs: list[tuple[str, float]] = []
    numbers: list[int] = []
    for entry in found if isinstance(found, list) else []:
        token, value = entry.get("token"), entry.get("logprob", entry.get("log_probability"))
        if isinstance(token, str) and isinstance(value, int | float) and value > _LEAST_LOGARITHM:
            logprobs.append((token, float(value)))
        if isinstance(entry.get("token_id"), int):
            numbers.append(entry["token_id"])
    return tuple(logprobs), tuple(numbers) if len(numbers) == len(logprobs) else ()
