"""Asking a vendor's service through `pydantic_ai`, with a tap on the wire. Imported late: it needs the extra.

The vendors' own clients ask once and do not ask again: that is for `RetryModel` to do, where it can be seen. What goes
out is read from the request's body on its way; a reply is taken uncompressed, and bounded.
"""

import ssl
import warnings
from collections.abc import AsyncIterator
from typing import Any

import httpx2
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import UnsupportedSettingWarning
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

_CONNECT_S = 30.0


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
    """Sees each request on its way out, and keeps the body of the last one."""

    def __init__(self, most: int, tls: ssl.SSLContext | bool) -> None:
        """A tap.

        Args:
            most: Bytes of one reply.
            tls: How servers are known; making it takes longer than a request.
        """
        self.body = b""
        self._most, self._tls = most, tls

    def client(self) -> httpx2.AsyncClient:
        """A client whose requests go past here."""
        hooks: dict[str, list[Any]] = {"request": [self._going], "response": [self._coming]}
        seconds = httpx2.Timeout(None, connect=_CONNECT_S)
        return httpx2.AsyncClient(verify=self._tls, timeout=seconds, event_hooks=hooks)

    async def _going(self, request: httpx2.Request) -> None:
        self.body = await request.aread()
        request.headers["accept-encoding"] = "identity"

    async def _coming(self, response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise httpx2.ReadError("the reply is compressed, which was not asked for")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream, self._most)


async def ask(
    vendor: tuple[str, str, str, str],
    history: list[ModelMessage],
    parameters: ModelRequestParameters,
    settings: ModelSettings,
    tap: Tap,
) -> ModelResponse:
    """The answer to one request; `vendor` is its kind, address, key and model.

    Raises:
        AgentRunError: There is none.
        UserError: It cannot be asked for.
    """
    # `Sent.dropped` says it, for every call.
    warnings.filterwarnings("ignore", category=UnsupportedSettingWarning)
    warnings.filterwarnings("ignore", message="Sampling parameters .* are not supported")
    async with tap.client() as http:
        model = _model(*vendor, http)
        return await model_request(model, history, model_settings=settings, model_request_parameters=parameters)


def _model(kind: str, url: str, key: str, name: str, http: httpx2.AsyncClient) -> Model:
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
