"""Who may ask the viewer, and what its answers may do: the checks that stand before every page.

The server shows hostile text to one person. So it answers only to its own name (a page elsewhere that rebinds DNS to
this machine asks under another one), only to a browser that once had the address printed in the terminal (a token that
works once, a cookie after that), and takes a change only from its own pages (origin, and a token in the request). Every
answer forbids scripts, styles, frames and connections that are not the viewer's own files.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 1 << 20
"""Of a request, bytes."""
LARGEST_QUERY = 8 << 10
"""Of an address behind its question mark, bytes."""

_SAFE = frozenset(("GET", "HEAD"))


@dataclass(slots=True)
class Access:
    """Who may use one server."""

    hosts: frozenset[str]
    """What the Host header may say, in small letters; empty where the server is bound to more than this machine."""
    password: str = ""
    """What opens it beside the token; needed where it is bound to more than this machine."""
    _tokens: set[str] = field(default_factory=set)
    _secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def new_token(self) -> str:
        """A token that opens the viewer once."""
        token = secrets.token_urlsafe(32)
        self._tokens.add(token)
        return token

    def takes(self, token: str) -> bool:
        """Whether this token opens it; if so, never again."""
        found = next((known for known in self._tokens if _same(known, token)), None)
        if found is not None:
            self._tokens.discard(found)
        return found is not None

    def admits(self, password: str) -> bool:
        """Whether this is the password."""
        return bool(self.password) and _same(self.password, password)

    @property
    def cookie(self) -> tuple[str, str]:
        """Name and value of the cookie: servers on other ports of this machine have other names."""
        return f"honestly-{sha256(self._secret.encode()).hexdigest()[:8]}", self._secret

    @property
    def csrf(self) -> str:
        """What every change must carry."""
        return hmac.new(self._secret.encode(), b"csrf", "sha256").hexdigest()


def policy(styles: str = "") -> str:
    """The content security policy of every page; `styles` are hashes of style sheets inside drawings."""
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self' {styles}; img-src 'self' data:; connect-src 'self'; "
        "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )


class Guard:
    """The checks, around an application."""

    def __init__(self, app: App, access: Access, styles: str = "") -> None:
        self._app, self._access = app, access
        self._headers = {
            "content-security-policy": policy(styles),
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
            "cache-control": "no-store",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message.setdefault("headers", []))
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refused(scope)
        if refused is None:
            await self._app(scope, _bounded(receive), guarded)
        else:
            await refused(scope, receive, guarded)

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if self._access.hosts and headers.get("host", "").lower() not in self._access.hosts:
            return _text("This server answers only to the address that it printed.", 421)
        if len(scope["query_string"]) > LARGEST_QUERY:
            return _text("The address is too long.", 414)
        site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "")
        if site == "cross-site" and mode != "navigate":
            return _text("Another site may not read this one.", 403)
        if not headers.get("content-length", "0").isdecimal() or int(headers.get("content-length", "0")) > LARGEST_BODY:
            return _text("The request is too large.", 413)
        if scope["path"] in {"/login", "/static/viewer.css", "/static/report.css"}:
            return self._foreign(scope, headers)
        if not self._known(headers):
            return self._entrance(scope)
        if scope["method"] in _SAFE:
            return None
        sent = headers.get("x-csrf-token", "")
        if not _same(sent, self._access.csrf):
            return _text("The page is of an earlier server; load it again.", 403)
        return self._foreign(scope, headers)

    def _foreign(self, scope: Scope, headers: Headers) -> Response | None:
        if scope["method"] in _SAFE:
            return None
        own = f"{scope.get('scheme', 'http')}://{headers.get('host', '')}".lower()
        return None if headers.get("origin", "").lower() == own else _text("Changes come from its own pages only.", 403)

    def _known(self, headers: Headers) -> bool:
        name, value = self._access.cookie
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(name)
        except CookieError:
            return False
        return found is not None and _same(found.value, value)

    def _entrance(self, scope: Scope) -> Response:
        """Opens the door to a token; else says where one is had."""
        given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        token = dict(given).get("token", "")
        if scope["method"] == "GET" and token and self._access.takes(token):
            rest = urlencode([(name, value) for name, value in given if name != "token"])
            path = "/" + scope["path"].lstrip("/")
            return self.let_in(RedirectResponse(f"{path}?{rest}" if rest else path, 303))
        if self._access.password and scope["method"] == "GET":
            return RedirectResponse("/login", 303)
        return _text(
            "This viewer opens with the address that honestly view printed; each works once. Press Enter in its "
            "terminal for a new one.",
            401,
        )

    def let_in(self, response: Response) -> Response:
        """The response, with the cookie that opens every page."""
        name, value = self._access.cookie
        response.set_cookie(name, value, httponly=True, samesite="lax", path="/")
        return response


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a small form; the last of each name."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=1000))
    except ValueError:
        return {}


class TooLargeError(Exception):
    """A request without a length that turned out to be too long."""


def _bounded(receive: Receive) -> Receive:
    seen = 0

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > LARGEST_BODY:
            raise TooLargeError
        return message

    return bounded


def _same(known: str, given: str) -> bool:
    return hmac.compare_digest(known.encode(), given.encode("utf-8", "replace"))


def _text(text: str, status: int) -> Response:
    return Response(f"{text}\n", status, media_type="text/plain")
