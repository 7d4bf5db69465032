"""One request to a model's server over HTTP, and everything that can go wrong with it as a `ModelError`.

Nothing is followed elsewhere, since the key would go along. Error texts come from a stranger: they are cut, made
printable, and the key is taken out of them.
"""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio

from honestly.errors import ModelError
from honestly.models._secrets import Redaction

if TYPE_CHECKING:
    import ssl

    import httpx2

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which asking again may help: those that the vendors' own clients ask again after, and 425 and 529."""

_MOST_ERROR = 1 << 16
_SHOWN = 600
_CONNECT_S = 30.0
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1|\[::1\]")


def printable_line(text: str, most: int = _SHOWN) -> str:
    """Somebody else's text on one line, without control characters, and not too long."""
    clean = " ".join("".join(char if char.isprintable() else " " for char in text[: 4 * most]).split())
    return clean if len(clean) <= most else clean[:most] + " [...]"


def loads(data: bytes | str) -> Any:  # noqa: ANN401 - somebody else's JSON
    """Plain data of JSON as strangers write it (NaN, half surrogate pairs).

    Raises:
        ValueError: It is not JSON, or nested too deeply, or holds an endless number.
    """
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def check_key(key: str) -> None:
    """Refuse what cannot be sent as a key: most often a line's end that was copied with it.

    Raises:
        ModelError: It holds a character that no key has.
    """
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelError(
            "the key contains a space, a line break or another character that no key has; check the variable"
        )


@dataclass(slots=True)
class Reply:
    """A reply that has begun: status 200 to 299."""

    kind: str
    """Its media type, in lower case, without parameters."""
    _response: httpx2.Response
    _most: int

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body of the reply, as it comes.

        Raises:
            ModelError: It is too long.
        """
        size = 0
        async for piece in self._response.aiter_raw():
            size += len(piece)
            if size > self._most:
                raise ModelError(f"the reply is longer than {self._most} bytes; a model with smaller answers is needed")
            yield piece

    async def whole_body(self) -> bytes:
        """The whole body of the reply."""
        return b"".join([piece async for piece in self.pieces()])


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The address of a server, and what it is told beside the body."""

    url: str
    """Up to the path that all requests have in common: `http://localhost:8000/v1`."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What must not appear in an error."""
    max_bytes: int = 64 << 20
    """Of one reply."""

    @asynccontextmanager
    async def post(self, path: str, body: bytes, seconds: float) -> AsyncIterator[Reply]:
        """The reply to one request, which has `seconds` from its beginning to its end.

        Raises:
            ModelError: No reply came, or it is not a success, or it breaks off.
        """
        import httpx2

        url = self.url.rstrip("/") + path
        # A compressed reply could be a thousand times longer than what came, and is not taken.
        headers = {"content-type": "application/json", "accept-encoding": "identity", **self.headers}
        limits = httpx2.Timeout(seconds, connect=min(seconds, _CONNECT_S))
        own = _LOOPBACK.fullmatch(urlsplit(self.url).hostname or "")
        try:
            with anyio.fail_after(seconds):
                # A client for each request: a model may be used from several event loops, and a pool belongs to one.
                async with (
                    httpx2.AsyncClient(verify=tls_context(self.url), timeout=limits, trust_env=not own) as client,
                    client.stream("POST", url, content=body, headers=headers) as response,
                ):
                    if not response.is_success:
                        raise await self._refusal_error(response)
                    if response.headers.get("content-encoding", "identity").lower() != "identity":
                        raise ModelError(f"{url} compressed its reply, which was not asked for; it is not read")
                    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                    yield Reply(kind, response, self.max_bytes)
        except (TimeoutError, httpx2.TimeoutException) as error:
            what = "could not be reached" if isinstance(error, httpx2.ConnectTimeout) else "did not answer"
            message = f"{url} {what} within {seconds:g} s; ask again, or allow more (timeout_s)"
            raise ModelError(message, transient=True) from None
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise ModelError(self._clean(f"{url}: {_reason(error)}"), transient=True) from None
        except httpx2.InvalidURL as error:
            raise ModelError(self._clean(f"{url} cannot be asked: {error}")) from None

    async def _refusal_error(self, response: httpx2.Response) -> ModelError:
        body = b""
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > _MOST_ERROR:
                break
        text = self._clean(error_text(body))
        return status_error(self.url, response.status_code, text, response.headers)

    def _clean(self, text: str) -> str:
        return printable_line(Redaction(self.secrets, "[key]").clean_text(text))


def tls_context(url: str) -> ssl.SSLContext | bool:
    """How the server of an address is known."""
    return _certificates() if url.startswith("https:") else False


@cache  # it reads the machine's certificates, which takes longer than a request
def _certificates() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()


def status_error(url: str, status: int, text: str, headers: Mapping[str, str]) -> ModelError:
    """The error that a reply with this status is; `text` is what the server says of it, cleaned."""
    advice = {
        401: "; check the key",
        403: "; check the key and what it may do",
        404: "; check the address and the model's name",
        413: "; send less",
    }.get(status, "")
    if 300 <= status < 400:
        advice = "; it is not followed, because the key would go along: give the address that it leads to"
    message = f"{url} answered {status}{': ' if text else ''}{text}{advice}"
    return ModelError(message, transient=status in TRANSIENT, status=status, retry_after_s=retry_after(headers))


def error_text(body: bytes) -> str:
    """The text of an error's body: the message of the usual JSON shapes, else all of it."""
    try:
        found = loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")
    for key in ("error", "message", "detail", "msg"):
        if isinstance(found, dict) and found.get(key):
            found = found[key]
    return found if isinstance(found, str) else json.dumps(found)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server wants to be left alone for; None where it does not say.

    Source: RFC 9110, section 10.2.3; `retry-after-ms` is what some vendors add.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()[:64]
        try:
            seconds = float(text) / unit
        except ValueError:
            continue
        return seconds if math.isfinite(seconds) and seconds >= 0 else None
    try:
        until = email.utils.parsedate_to_datetime(headers.get("retry-after", "")[:64])
        return max(0.0, until.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _reason(error: Exception) -> str:
    import httpx2

    text = str(error) or type(error).__name__
    if isinstance(error, httpx2.ConnectError):
        return f"there is no connection ({text}); is the server running?"
    return f"the connection broke ({text}); ask again"
