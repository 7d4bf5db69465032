"""Somebody who looks at one web site: pages by GET, forms when told to, a login, and nothing beyond its address.

Only this machine is visited, unless a host is allowed by name. Redirects are followed on the site alone, and five at
most; a page that is not HTML, not there, or larger than it may be is a reason, not a page. Proxy variables of the
machine are not read.
"""

import re
from collections.abc import Collection, Mapping
from ipaddress import ip_address
from types import TracebackType
from typing import NamedTuple
from urllib.parse import urldefrag, urlencode, urljoin, urlsplit

import anyio
import httpx2

from honestly.errors import TaskError
from honestly.taskgen.pages._read import Form, Read, read_page

_MOST_BYTES = 1 << 20
_MOST_REDIRECTS = 5
_MOST_ADDRESS = 1000
_SECONDS = 10.0
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset=["']?([\w-]{1,40})""", re.IGNORECASE)
_ENCODING = re.compile(r"utf-?(8|16)|iso-?8859|windows-|us-ascii|latin|gb|big5|shift|euc|koi8", re.IGNORECASE)
"""Encodings of pages; Python knows others, which are slow on long texts or raise."""
_LOGIN = re.compile(r"log ?in|sign ?in", re.IGNORECASE)
_MOST_MARKUP = 20_000
_MOST_ALERT = 1 << 16
_ALERT = re.compile(r'role="alert"[^>]{0,200}>([^<]{1,200})')


class VisitedPage(NamedTuple):
    """The result of a request."""

    page: Read | None
    why: str = ""
    """Why there is no page."""
    status: int = 0

    @property
    def path(self) -> str:
        """Where the page lies on its site."""
        return path_of(self.page.url) if self.page else ""


class Account(NamedTuple):
    """Who logs in."""

    user: str
    password: str


def path_of(url: str) -> str:
    """The part of an address after the host."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def checked_origin(url: str, allowed: Collection[str] = ()) -> str:
    """The scheme, host and port of an address that may be visited.

    Raises:
        TaskError: It is no address of a web site, or one of another machine.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise TaskError(f"{url!r} is not an address: {error}") from error
    if parts.scheme not in {"http", "https"} or not host or parts.username is not None:
        raise TaskError(f"{url!r} is not the address of a web site; expected http://127.0.0.1:PORT or site:NAME")
    try:
        is_here = ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost"
    if not is_here and host not in allowed:
        raise TaskError(f"{host} is not this machine; allow it with --allow {host} if the site is yours to walk")
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}"


class Visitor:
    """One session on one site."""

    def __init__(self, origin: str, account: Account | None = None, start: str = "/") -> None:
        """A visitor of `origin`, who begins at the path `start`."""
        self.origin, self.start, self._account = origin, start, account
        self.entered: tuple[tuple[str, dict[str, str]], ...] = ()
        """What was sent to log in: the path and the values, once there was need."""
        self._client = httpx2.AsyncClient(trust_env=False, timeout=_SECONDS, verify=origin.startswith("https"))

    async def __aenter__(self) -> "Visitor":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    def holds(self, url: str) -> bool:
        """Whether an address lies on the site."""
        return url == self.origin or url.startswith((f"{self.origin}/", f"{self.origin}?"))

    async def enter_site(self) -> VisitedPage:
        """The first page, once logged in where somebody should be."""
        first = await self.get(self.start)
        if self._account and first.page and not self.entered:
            for link in first.page.links:
                if _LOGIN.search(link.text) and self.holds(link.href):
                    await self.get(path_of(link.href))
                    return await self.get(self.start)
        return first

    async def get(self, path: str) -> VisitedPage:
        """The page at a path; behind a login, after logging in."""
        found = await self._ask_page("GET", self.origin + path)
        form = self._login_form(found.page)
        if form and found.page and not self.entered:
            self.entered = ((path_of(form.action), self._filled_form(form)),)
            after = await self.send(form, self.entered[0][1])
            found = await self._ask_page("GET", self.origin + path)
            if after.page is None or self._login_form(after.page):
                raise TaskError(f"nobody could log in at {found.path or path}: is the user {self._account!r} right?")
        return found

    async def send(self, form: Form, values: Mapping[str, str]) -> VisitedPage:
        """The page that comes after a form is sent with these values."""
        if not self.holds(form.action):
            return VisitedPage(None, "the form goes to another host")
        if form.method == "get":
            return await self._ask_page("GET", f"{urldefrag(form.action)[0].partition('?')[0]}?{urlencode(values)}")
        return await self._ask_page("POST", urldefrag(form.action)[0], values)

    async def post(self, path: str, values: Mapping[str, str]) -> VisitedPage:
        """The page that comes after these values were sent to a path."""
        return await self._ask_page("POST", self.origin + path, values)

    def _login_form(self, page: Read | None) -> Form | None:
        if page is None or self._account is None:
            return None
        return next((form for form in page.forms if any(field.type == "password" for field in form.fields)), None)

    def _filled_form(self, form: Form) -> dict[str, str]:
        values = {field.name: field.value for field in form.fields}
        who = self._account or Account("", "")
        name = next((field.name for field in form.fields if field.type in {"text", "email"}), None)
        words = {field.name: who.password for field in form.fields if field.type == "password"}
        return values | words | ({name: who.user} if name else {})

    async def _ask_page(self, method: str, url: str, values: Mapping[str, str] | None = None) -> VisitedPage:
        for _ in range(_MOST_REDIRECTS + 1):
            if len(url) > _MOST_ADDRESS:
                return VisitedPage(None, "the address is very long")
            try:
                with anyio.fail_after(_SECONDS):
                    # A compressed reply could be a thousand times longer than what was counted.
                    headers = {"accept-encoding": "identity", "user-agent": "honestly"}
                    data = None if values is None else dict(values)
                    async with self._client.stream(method, url, headers=headers, data=data) as reply:
                        location = reply.headers.get("location", "")
                        if not (reply.is_redirect and location):
                            body = await _reply_body(reply)
                            break
                        preserved = reply.status_code in {307, 308} and method == "POST"
            except TimeoutError:
                return VisitedPage(None, f"no reply within {_SECONDS:g} seconds")
            except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ValueError) as error:
                return VisitedPage(None, f"the request failed: {type(error).__name__}")
            if preserved:
                return VisitedPage(None, "it redirects a form")
            try:
                url = urldefrag(urljoin(url, location))[0]
            except ValueError:
                return VisitedPage(None, "it redirects to what is no address")
            if not self.holds(url):
                return VisitedPage(None, "it redirects to another host")
            method, values = "GET", None
        else:
            return VisitedPage(None, f"it redirects more than {_MOST_REDIRECTS} times")
        return await anyio.to_thread.run_sync(_seen_page, body, url)


class _Body(NamedTuple):
    """A reply as it came; of one that is too large, its beginning."""

    status: int
    kind: str
    is_plain: bool
    data: bytes


async def _reply_body(reply: httpx2.Response) -> _Body:
    data = bytearray()
    async for piece in reply.aiter_raw():
        data += piece
        if len(data) > _MOST_BYTES:
            break
    is_plain = reply.headers.get("content-encoding", "identity") == "identity"
    return _Body(reply.status_code, reply.headers.get("content-type", ""), is_plain, bytes(data))


def _seen_page(body: _Body, url: str) -> VisitedPage:
    """The page that a reply holds, or why there is none."""
    status, kind, is_plain, data = body
    why = ""
    if status >= 400:
        told = _ALERT.search(data[:_MOST_ALERT].decode("utf-8", "replace"))
        why = f"status {status}" + (f": {told[1].strip()}" if told else "")
    elif kind.partition(";")[0].strip().lower() not in {"text/html", "application/xhtml+xml"}:
        why = "it is not HTML"
    elif not is_plain:
        why = "it is compressed, though nobody asked"
    elif len(data) > _MOST_BYTES:
        why = f"it is larger than {_MOST_BYTES >> 20} MiB"
    elif data.count(b"<") > _MOST_MARKUP:
        why = f"it has more than {_MOST_MARKUP:,} tags"
    return VisitedPage(None if why else read_page(_body_text(data, kind), url), why, status)


def _body_text(data: bytes, kind: str) -> str:
    named = re.search(r"charset=\"?([\w-]{1,40})", kind, re.IGNORECASE)
    meta = _CHARSET.search(data[:2048])
    name = named[1] if named else meta[1].decode("ascii", "replace") if meta else "utf-8"
    try:
        return data.decode(name if _ENCODING.match(name) else "utf-8", "replace")
    except LookupError:
        return data.decode("utf-8", "replace")
