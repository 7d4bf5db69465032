"""A provider behind the proxy: requests go on as they came, but for the key, and what comes back is relayed.

The agent has the trial's token only; the provider's key is put in here. It is looked for in what comes back, since
servers echo what they refuse. Nothing is followed elsewhere, and only paths that are known are passed on, so that no
other service of the provider's is reached. Nor may a request have the provider reach the network with tools of its own
(search it, fetch addresses, run code, call other servers), unless that is allowed; nor use a tool of which it is not
known that it runs at the client.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from honestly.errors import ModelError
from honestly.http import HOP_BY_HOP, Refusal, Reply
from honestly.models._api import Message
from honestly.models._secrets import Redaction, Scrubber
from honestly.models.chat._http import check_key, printable_line
from honestly.models.dialects._dialect import Object
from honestly.models.proxy._question import Question
from honestly.models.proxy._record import SECRET_HEADERS

_CONNECT_S, _WRITE_S = 30.0, 60.0
_MOST_ERROR = 1 << 20
_KEY_HEADERS = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}
_NOT_SENT = HOP_BY_HOP | SECRET_HEADERS | {"accept-encoding", "content-length", "expect", "host"}
_NOT_RELAYED = HOP_BY_HOP | {"content-encoding", "content-length", "content-type", "set-cookie"}
_CLIENTS = re.compile(
    r"function|custom|namespace|local_shell|apply_patch|(bash|text_editor|computer|memory)_\d{8}|computer_use_preview"
)
_FIELDS = ("mcp_servers", "container", "web_search_options", "plugins", "previous_response_id", "prompt")
_ADDRESSES = {"url", "image_url", "file_url", "file_data", "fileUri", "file_uri"}
_DATA = {"input", "args", "response", "parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema"}
_REMOTE = re.compile(r"\s*(?!data:)[a-zA-Z][a-zA-Z0-9+.-]*:")
_TOOL_FIELDS = {"functionDeclarations", "function_declarations"}
_MOST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A provider of models behind the proxy: its address and its key."""

    url: str
    """What its own clients are given: `https://api.openai.com/v1`, `https://api.anthropic.com`,
    `https://generativelanguage.googleapis.com`."""
    key: str = field(default="", repr=False)
    header: str = ""
    """The header that carries the key; empty for the dialect's own. `authorization` carries it as a bearer token."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.query:
            raise ModelError(
                f"{printable_line(self.url, 200)!r} is not the address of a provider; expected one such as "
                "https://api.openai.com/v1"
            )
        check_key(self.key)


class UpstreamAnswers:
    """Answers of a provider, relayed."""

    def __init__(self, upstream: Upstream, answer_s: float, *, server_tools: bool) -> None:
        """Begin.

        Args:
            upstream: Who answers.
            answer_s: Seconds until the next piece of an answer must have come.
            server_tools: Whether requests may reach further than the model.
        """
        import httpx2

        self._upstream = upstream
        self._redaction = Redaction([upstream.key], "[secret]")
        self._server_tools = server_tools
        own = urlsplit(upstream.url).hostname in {"localhost", "127.0.0.1", "::1"}
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(answer_s, connect=_CONNECT_S, write=_WRITE_S, pool=None),
            limits=httpx2.Limits(max_connections=None),
            trust_env=not own,
        )

    async def aclose(self) -> None:
        """Close its connections."""
        await self._client.aclose()

    async def answer(self, question: Question, reply: Reply) -> Message | None:
        """Relay the reply; see `Answers.answer`."""
        import httpx2

        if not self._server_tools and (places := reaches_out(question.found)):
            raise Refusal(
                403,
                f"{', '.join(places)}: the provider would reach the network for it, which this trial may not; switch "
                "it off in the agent, or allow it with ProxyLimits(server_tools=True)",
            )
        url = self._upstream.url.rstrip("/") + question.route.path
        method = question.head.method
        try:
            async with self._client.stream(
                method,
                url,
                content=question.raw or None,
                headers=self._upstream_headers(question),
                follow_redirects=False,
            ) as response:
                if 300 <= response.status_code < 400:
                    raise Refusal(
                        502, f"the provider answered {response.status_code}, which is not followed; check its address"
                    )
                kind = response.headers.get("content-type", "application/octet-stream")
                scrubber = Scrubber(self._upstream.key)
                await reply.send_head(response.status_code, kind, self._relayed_headers(response.headers.multi_items()))
                async for piece in response.aiter_bytes():
                    if response.status_code >= 400 and len(reply.copy) > _MOST_ERROR:
                        break
                    if data := scrubber.feed(piece):
                        await reply.send(data)
                if data := scrubber.held_back():
                    await reply.send(data)
                await reply.end_body()
        except httpx2.TimeoutException as error:
            raise ModelError("the provider did not answer in time", transient=True, status=504) from error
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
            reason = printable_line(self._redaction.clean_text(str(error) or type(error).__name__), 200)
            raise ModelError(f"the provider cannot be asked: {reason}", transient=True, status=502) from error
        return None

    def _upstream_headers(self, question: Question) -> list[tuple[str, str]]:
        headers = [(name, value) for name, value in question.head.headers if name not in _NOT_SENT]
        headers.append(("accept-encoding", "identity"))
        if self._upstream.key:
            name = self._upstream.header.lower() or _KEY_HEADERS.get(question.route.dialect.name, "authorization")
            headers.append((name, f"Bearer {self._upstream.key}" if name == "authorization" else self._upstream.key))
        return headers

    def _relayed_headers(self, headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        return [
            (name, value)
            for name, value in headers
            if name.lower() not in _NOT_RELAYED and self._redaction.clean_text(value) == value
        ]


def reaches_out(found: Object) -> list[str]:
    """At most five places in a body that reach further than the model."""
    places = [name for name in _FIELDS if found.get(name)]
    places += _tool_addresses(found.get("tools"), "tools")
    return [printable_line(place, 200) for place in places + remote_addresses(found)][:_MOST]


def remote_addresses(found: Object) -> list[str]:
    """At most five places in a body where an address stands for a picture or a file."""
    places: list[str] = []
    stack: list[tuple[str, Any]] = [("", {key: value for key, value in found.items() if key != "tools"})]
    while stack and len(places) < _MOST:
        path, value = stack.pop()
        if isinstance(value, list):
            stack += [(f"{path}[{at}]", each) for at, each in enumerate(value)]
        elif isinstance(value, dict):
            for key, inner in value.items():
                where = f"{path}.{key}" if path else str(key)
                if isinstance(inner, str):
                    places += [where] if key in _ADDRESSES and _REMOTE.match(inner) else []
                elif not (key in _DATA and isinstance(inner, dict)):
                    stack.append((where, inner))
    return [printable_line(place, 200) for place in places[:_MOST]]


def _tool_addresses(tools: object, path: str) -> list[str]:
    places: list[str] = []
    for at, tool in enumerate(tools if isinstance(tools, list) else []):
        where = f"{path}[{at}]"
        if not isinstance(tool, dict):
            continue
        kind = tool.get("type")
        if kind == "namespace":
            places += _tool_addresses(tool.get("tools"), f"{where}.tools")
        elif kind is None:
            others = set() if "input_schema" in tool else {key for key, value in tool.items() if value} - _TOOL_FIELDS
            places += [f"{where}.{key}" for key in sorted(map(str, others))]
        elif not isinstance(kind, str) or not _CLIENTS.fullmatch(kind):
            places.append(f"{where} ({kind})")
    return places
