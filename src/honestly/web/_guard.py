"""Who may ask the viewer, and what its answers may do: the checks that stand before every page.

The server shows hostile text to one person. So it answers only to its own name (a page elsewhere that rebinds DNS to
this machine asks under another one), only to a browser that once had the address printed in the terminal (a token that
works once, a cookie after that), and takes a change only from its own pages (origin, and a token in the request). Every
answer forbids scripts, styles, frames and connections that are not the viewer's own files.
"""

import hmac
import secrets
import time
from base64 import b64encode
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from anyio import fail_after
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

LONGEST_BODY = 30.0
"""Seconds that a request may take to arrive."""

_SAFE = frozenset(("GET", "HEAD"))
_GUESSES, _MINUTE = 10, 60.0
"""Wrong passwords that are heard in so many seconds, of everybody together."""
_BEFORE_LOGIN = frozenset(("/login", "/static/viewer.css", "/static/report.css"))
"""What is answered to anybody where there is a password to be asked for."""


@dataclass(slots=True)
class Access:
    """Who may use one server."""

    hosts: frozenset[str]
    """What the Host header may say, in lower case."""
    password: str = ""
    """What opens it beside the token; needed where it is bound to more than this machine. Then the Host may be any
    number of a machine too, as nobody can make a number mean another machine."""
    _tokens: set[str] = field(default_factory=set)
    _secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _wrong: deque[float] = field(default_factory=lambda: deque(maxlen=_GUESSES))

    def answers_host(self, host: str) -> bool:
        """Whether this is a name of the server."""
        return host.lower() in self.hosts or (bool(self.password) and _numeric(host))

    def new_token(self) -> str:
        """A token that opens the viewer once."""
        token = secrets.token_urlsafe(32)
        self._tokens.add(token)
        return token

    def takes_token(self, token: str) -> bool:
        """Whether this token opens it; if so, never again."""
        found = next((known for known in self._tokens if _same_secret(known, token)), None)
        if found is not None:
            self._tokens.discard(found)
        return found is not None

    def admits_password(self, password: str) -> bool | None:
        """Whether this is the password; None where too many wrong ones were given, and this one is not looked at."""
        now = time.monotonic()
        if len(self._wrong) == _GUESSES and now - self._wrong[0] < _MINUTE:
            return None
        right = bool(self.password) and _same_secret(self.password, password)
        if not right:
            self._wrong.append(now)
        return right

    @property
    def cookie(self) -> tuple[str, str]:
        """Name and value of the cookie: servers on other ports of this machine have other names."""
        return f"honestly-{sha256(self._secret.encode()).hexdigest()[:8]}", self._secret

    @property
    def csrf(self) -> str:
        """The token that every change must carry."""
        return hmac.new(self._secret.encode(), b"csrf", "sha256").hexdigest()

    def let_in(self, response: Response) -> Response:
        """The response, with the cookie that opens every page."""
        name, value = self.cookie
        response.set_cookie(name, value, httponly=True, samesite="lax", path="/")
        return response


def security_policy(styles: str = "") -> str:
    """The content security policy of every page; `styles` are hashes of style sheets inside drawings."""
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self' {styles}; img-src 'self' data:; connect-src 'self'; "
        "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )


def folder_policy(styles: str, scripts: str = "'self'") -> str:
    """That of a page that is opened from a disk, where no server says it."""
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src 'self' data:; form-action 'none'; "
        "base-uri 'none'"
    )


def source_hash(text: str) -> str:
    """The policy's name for a style sheet or a script that stands in the page itself."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


class Guard:
    """The checks, around an application."""

    def __init__(self, app: App, access: Access, styles: str = "") -> None:
        self.app, self._access = app, access
        self._headers = {
            "content-security-policy": security_policy(styles),
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
                await self.app(scope, receive, send)
            return

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message.setdefault("headers", []))
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refusal_response(scope)
        if refused is None:
            await self.app(scope, _bounded_receive(receive), guarded)
        else:
            await refused(scope, receive, guarded)

    def _refusal_response(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if not self._access.answers_host(headers.get("host", "")):
            return _text_response("This server answers only to the address that it printed.", 421)
        if len(scope["query_string"]) > LARGEST_QUERY:
            return _text_response("The address is too long.", 414)
        site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "")
        if site in {"cross-site", "same-site"} and mode != "navigate":  # same-site: another port of this machine
            return _text_response("Another site may not read this one.", 403)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 16 and int(length) <= LARGEST_BODY):
            return _text_response("The request is too large.", 413)
        if self._access.password and scope["path"] in _BEFORE_LOGIN:
            return self._foreign_response(scope, headers)
        wanted = "=".join(self._access.cookie)  # others of this host may set what they like, this name included
        if not any(_same_secret(wanted, given.strip()) for given in headers.get("cookie", "").split(";")):
            given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            token = dict(given).get("token", "")
            if scope["method"] == "GET" and token and self._access.takes_token(token):
                rest = urlencode([(name, value) for name, value in given if name != "token"])
                path = "/" + quote(scope["path"].lstrip("/"))
                return self._access.let_in(RedirectResponse(f"{path}?{rest}" if rest else path, 303))
            if self._access.password and scope["method"] == "GET":
                return RedirectResponse("/login", 303)
            return _text_response(
                "This viewer opens with the address that honestly view printed; each works once. Press Enter in its "
                "terminal for a new one.",
                401,
            )
        if scope["method"] in _SAFE:
            return None
        sent = headers.get("x-csrf-token", "")
        if not _same_secret(sent, self._access.csrf):
            return _text_response("The page is of an earlier server; load it again.", 403)
        return self._foreign_response(scope, headers)

    def _foreign_response(self, scope: Scope, headers: Headers) -> Response | None:
        if scope["method"] in _SAFE:
            return None
        own = f"{scope.get('scheme', 'http')}://{headers.get('host', '')}".lower()
        return (
            None
            if headers.get("origin", "").lower() == own
            else _text_response("Changes come from its own pages only.", 403)
        )


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


class TooSlowError(Exception):
    """A request that did not arrive in time."""


def _bounded_receive(receive: Receive) -> Receive:
    seen, end, whole = 0, time.monotonic() + LONGEST_BODY, False

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal seen, whole
        if whole:  # what comes now is the end of the connection, which may take its time
            return await receive()
        try:
            with fail_after(end - time.monotonic()):
                message = await receive()
        except TimeoutError as error:
            raise TooSlowError from error
        whole = not message.get("more_body", False)
        seen += len(message.get("body", b""))
        if seen > LARGEST_BODY:
            raise TooLargeError
        return message

    return bounded


def _numeric(host: str) -> bool:
    """Whether a Host header is a number of a machine, with a port or without."""
    try:
        split = urlsplit(f"//{host}")
        ip_address(split.hostname or "")
        return split.netloc == host and "@" not in host and (split.port or 1) > 0
    except ValueError:
        return False


def _same_secret(known: str, given: str) -> bool:
    return hmac.compare_digest(known.encode(), given.encode("utf-8", "replace"))


def _text_response(text: str, status: int) -> Response:
    return Response(f"{text}\n", status, media_type="text/plain")
