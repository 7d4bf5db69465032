"""The tool `http`: calls to HTTP interfaces that are on a list, and no others.

An `Api` says where an interface lies, which methods may be used, what is sent along with each request (keys, which the
model never sees), and holds its documentation by endpoint. The request is made from outside of the sandbox. Where it
may go is decided on the address as it will be sent: same scheme, host and port, a path below the interface's own,
without the spellings that servers read differently. Redirects are shown, and not followed.
"""

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal
from urllib.parse import unquote, urlencode, urlsplit, urlunsplit

from msgspec import Meta

from honestly.errors import ToolError
from honestly.sandbox import Sandbox
from honestly.tools._api import FunctionTool, ToolResult
from honestly.tools._fetch import Fetched, WantedRequest, fetch_reply
from honestly.tools._text import middle_dropped, printed_text

_KEEP = 10_000
_SHOWN_HEADERS = ("content-type", "location", "link", "retry-after", "www-authenticate", "allow")
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect"})
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,80}")
_DOC = """
Calls an HTTP interface and returns status, headers and body. Only these may be called: {apis}. Keys are added for you.
Redirects are not followed. Long replies lose their middle.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """An HTTP interface that may be called."""

    base: str
    """Address below which everything may be called: `https://shop.example.org/rest/V1`."""
    methods: tuple[str, ...] = ("GET",)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with each request, unseen by the model: keys."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """Documentation, by endpoint (`GET /products/{sku}`); the first line of a page is what lists show."""
    really: str = ""
    """Scheme, host and port where it is reached, if that is not what the agent is told: a site whose port is chance."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.base)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.query:
            raise ValueError(f"the interface lies at {self.base!r}; expected an address like https://host/path")

    def owns_address(self, url: str) -> bool:
        """Whether an address, as it will be sent, belongs to this interface."""
        here, there = urlsplit(self.base), urlsplit(url)
        root = here.path.rstrip("/")
        return (
            (there.scheme, there.hostname, _port_or_default(there.port, there.scheme))
            == (here.scheme, here.hostname, _port_or_default(here.port, here.scheme))
            and not (there.username or there.password)
            and (there.path == root or there.path.startswith(f"{root}/"))
        )

    def reached_address(self, url: str) -> str:
        """The address to which a request for `url` goes."""
        parts = urlsplit(url)
        return self.really + urlunsplit(("", "", parts.path, parts.query, "")) if self.really else url


class Http(FunctionTool):
    """The tool that calls the given HTTP interfaces."""

    def __init__(self, apis: Sequence[Api], *, keep: int = _KEEP, seconds: float = 30.0) -> None:
        """A caller of `apis`.

        Args:
            apis: What may be called.
            keep: Characters of a body that the model is shown.
            seconds: Time of one request.
        """
        self._apis, self._keep, self._seconds = tuple(apis), keep, seconds
        said = "; ".join(f"{', '.join(api.methods)} below {api.base}" for api in apis)
        doc = _DOC.strip().replace("\n", " ").format(apis=said or "none")
        super().__init__(self._run_call, name="http", doc=doc)

    async def _run_call(
        self,
        box: Sandbox,  # noqa: ARG002 - requests are made outside of it
        url: Annotated[str, Meta(description="The whole address.", max_length=4000)],
        method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] = "GET",
        query: Annotated[dict[str, str] | None, Meta(description="Parameters to append to the address.")] = None,
        headers: dict[str, str] | None = None,
        body: Annotated[Any, Meta(description="JSON to send; a text is sent as it is.")] = None,  # noqa: ANN401
    ) -> ToolResult:
        url = _as_sent(url)
        api = next((api for api in self._apis if api.owns_address(url)), None)
        if api is None:
            said = ", ".join(api.base for api in self._apis) or "nothing"
            raise ToolError(f"{url} may not be called; allowed is what lies below {said}")
        if method not in api.methods:
            raise ToolError(f"{method} may not be used there; allowed: {', '.join(api.methods)}")
        data, kind = _body(body)
        given = headers or {}
        for name, value in given.items():
            if not _NAME.fullmatch(name) or name.lower() in _OURS or not value.isascii() or not value.isprintable():
                raise ToolError(
                    f"the header {name!r} cannot be sent; expected printable ASCII, and none that frames a request"
                )
        parts = {part for value in api.headers.values() for part in (value, value.rpartition(" ")[2])}
        wanted = WantedRequest(
            method=method,
            url=_with_query(api.reached_address(url), query or {}),
            headers={**kind, **_lower_headers(given), **_lower_headers(api.headers)},
            body=data,
            secrets=tuple(sorted((part for part in parts if len(part) >= 6), key=len, reverse=True)),
            seconds=self._seconds,
        )
        return self._reply_output(await fetch_reply(wanted))

    def _reply_output(self, reply: Fetched) -> ToolResult:
        kept = [f"{name}: {reply.headers[name]}" for name in _SHOWN_HEADERS if name in reply.headers]
        head = printed_text("\n".join([f"{reply.status} {reply.reason}".strip(), *kept]).encode("utf-8", "replace"))
        body, dropped = middle_dropped(printed_text(reply.body), self._keep)
        more = "\n[... the reply was longer than what is read of one ...]" if reply.cut else ""
        return ToolResult(text=f"{head}\n\n{body}{more}".rstrip("\n"), dropped=dropped)


def _as_sent(url: str) -> str:
    """The address, if all servers read it alike.

    Raises:
        ToolError: They might not: control characters, dots or slashes in disguise.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise ToolError(f"{url!r} is not an address: {error}") from None
    path = unquote(parts.path)
    plain_path = posixpath.normpath(path) == path.rstrip("/") or path in {"", "/"}
    # Encoded dots, slashes, backslashes and percent signs: one server decodes them before it looks, another after.
    hidden = re.search(r"%(2[ef]|5c|25)", parts.path, re.IGNORECASE)
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url or hidden or not plain_path:
        raise ToolError(
            "expected an address in ASCII whose path has no `.`, `..`, `//`, backslash, or such things encoded"
        )
    if parts.fragment:
        raise ToolError("expected an address without a fragment (`#...`)")
    return url


def _with_query(url: str, query: Mapping[str, str]) -> str:
    more = urlencode(query, errors="replace")
    return url + ("&" if "?" in url else "?") + more if more else url


def _port_or_default(port: int | None, scheme: str) -> int:
    return port or (443 if scheme == "https" else 80)


def _lower_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _body(body: Any) -> tuple[bytes, dict[str, str]]:  # noqa: ANN401 - any JSON
    if body is None:
        return b"", {}
    try:
        if isinstance(body, str):
            return body.encode(), {}
        return json.dumps(body).encode(), {"content-type": "application/json"}
    except (UnicodeEncodeError, RecursionError) as error:
        raise ToolError(f"the body cannot be sent: {error}") from None
