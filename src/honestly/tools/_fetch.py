"""One HTTP request from outside of the sandbox: bounded in size and time, never redirected, its secrets kept.

What comes back is a stranger's. Secrets are what the caller says they are: they are sent, and taken out of whatever
comes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from honestly.errors import ToolError
from honestly.tools._text import printed_text

if TYPE_CHECKING:
    import httpx2

_GONE = "[secret]"


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedRequest:
    """An HTTP request to be sent."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] | None = None
    body: bytes = b""
    secrets: tuple[str, ...] = ()
    """Texts that must not come back."""
    most_bytes: int = 2 << 20
    """Bytes of the reply's body that are read; the rest is left."""
    seconds: float = 30.0
    proxies: bool = False
    """Whether to go by this machine's proxy variables (and its `.netrc`)."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The reply to an HTTP request."""

    status: int
    reason: str
    headers: Mapping[str, str]
    """By name, in lower case."""
    body: bytes
    cut: bool
    """Whether there was more."""


async def fetch_reply(wanted: WantedRequest) -> Fetched:
    """Send a request and read the reply, whatever its status.

    Raises:
        ToolError: No reply came.
    """
    import httpx2

    # A compressed reply could be a thousand times longer than what was counted.
    headers = {"accept-encoding": "identity", "user-agent": "honestly", **wanted.headers}
    try:
        with anyio.fail_after(wanted.seconds):
            async with (
                httpx2.AsyncClient(trust_env=wanted.proxies, timeout=wanted.seconds) as client,
                client.stream(
                    wanted.method, wanted.url, params=wanted.query, headers=headers, content=wanted.body or None
                ) as reply,
            ):
                return await _read_reply(reply, wanted)
    except TimeoutError:
        raise ToolError(f"no reply within {wanted.seconds:g} seconds") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ValueError) as error:
        said = without_secrets(f"{type(error).__name__}: {error}", wanted.secrets)
        raise ToolError(f"the request failed: {printed_text(said.encode('utf-8', 'replace'))[:500]}") from None


async def _read_reply(reply: httpx2.Response, wanted: WantedRequest) -> Fetched:
    body = bytearray()
    async for piece in reply.aiter_raw():
        body += piece
        if len(body) > wanted.most_bytes:
            break
    kept = bytes(body[: wanted.most_bytes])
    for secret in filter(None, wanted.secrets):
        kept = kept.replace(secret.encode(), _GONE.encode())
    headers = {name.lower(): without_secrets(value, wanted.secrets) for name, value in reply.headers.items()}
    return Fetched(reply.status_code, reply.reason_phrase, headers, kept, len(body) > wanted.most_bytes)


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """`text` with each secret replaced by a mark."""
    for secret in filter(None, secrets):
        text = text.replace(secret, _GONE)
    return text
