"""Sites of one's own: a WSGI or ASGI application over a folder of which each trial gets a fresh copy."""

import io
import json
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote_to_bytes

import anyio
from anyio.from_thread import start_blocking_portal

from honestly.errors import SiteError
from honestly.http import openapi_operations
from honestly.sites._asked import SiteRequest
from honestly.sites._endpoints import Quality
from honestly.sites._record import SiteAnswer, SiteApi

Answers = Callable[[SiteRequest], SiteAnswer]
_Message = MutableMapping[str, Any]
_AsgiApp = Callable[
    [dict[str, Any], Callable[[], Awaitable[_Message]], Callable[[_Message], Awaitable[None]]], Awaitable[None]
]
_ANSWER_S = 20.0


class FolderSite:
    """A `SiteApp` whose state is kept in a folder; made by the function or class that a task names."""

    def __init__(
        self,
        start: Path,
        serve: Callable[[Path], Answers],
        state: Callable[[Path], dict[str, Any]],
        *,
        openapi: Callable[[], dict[str, Any]] | None = None,
        base: str = "",
    ) -> None:
        """A site over a fresh copy of a folder.

        Args:
            start: The folder as it is at the beginning of each trial; empty where it is not there.
            serve: Makes what answers, over the copy: `lambda folder: wsgi_answers(make_app(folder / "shop.db"))`.
            state: Reads the whole state from the copy, as plain data in a fixed order.
            openapi: Gives the OpenAPI document of its interface for programs.
            base: The path below which that interface lies.

        Raises:
            SiteError: The folder cannot be copied.
        """
        self._kept = TemporaryDirectory(prefix="honestly-site-")
        self._folder = Path(self._kept.name) / "state"
        try:
            shutil.copytree(start, self._folder) if start.exists() else self._folder.mkdir()
        except (OSError, shutil.Error) as error:
            raise SiteError(f"the folder {start} of a site cannot be copied: {error}") from error
        self._state, self._openapi, self._base = state, openapi, base
        self.answer = serve(self._folder)

    def state(self) -> dict[str, Any]:
        """All that the site holds."""
        return self._state(self._folder)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document; without operations where the site has none."""
        return self._openapi() if self._openapi is not None else {"paths": {}}

    def api(self, quality: Quality) -> SiteApi:
        """The interface and its documentation, made of the OpenAPI document."""
        operations = openapi_operations(self.openapi())
        methods = tuple(dict.fromkeys(each.method for each in operations)) or ("GET",)
        pages = {
            f"{each.method} {each.path}": f"{each.doc}\n\n{json.dumps(each.schema, indent=1)}\n"
            if quality == "good"
            else f"params: {', '.join(each.schema['required'])}\n"
            for each in operations
        }
        return SiteApi(base=self._base, methods=methods, pages=pages)

    def __deepcopy__(self, memo: object) -> "FolderSite":
        """Refused: a part of it cannot be locked.

        Raises:
            SiteError: Always.
        """
        raise SiteError("a site over a folder cannot be copied while it runs, so no part of it can be locked")


def wsgi_answers(app: Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]) -> Answers:
    """A function that asks a WSGI application."""

    def answer(asked: SiteRequest) -> SiteAnswer:
        path, _, query = asked.target.partition("?")
        kept = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in asked.headers.items()}
        environ = kept | {
            "REQUEST_METHOD": asked.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "CONTENT_TYPE": asked.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(asked.body)),
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": asked.headers.get("host", "").partition(":")[2] or "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(asked.body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        begun: list[tuple[str, list[tuple[str, str]]]] = []
        written: list[bytes] = []

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> Callable[..., Any]:  # noqa: ARG001
            begun.append((status, headers))
            return written.append

        parts = app(environ, start_response)
        try:
            body = b"".join(parts)
        finally:
            if hasattr(parts, "close"):
                parts.close()
        status, headers = begun[-1]
        return _site_answer(int(status.split()[0]), headers, b"".join(written) + body)

    return answer


def asgi_answers(app: _AsgiApp) -> Answers:
    """A function that asks an ASGI application, each request in a new event loop; no lifespan, no WebSockets."""

    def answer(asked: SiteRequest) -> SiteAnswer:
        with start_blocking_portal() as portal:
            return portal.call(_asgi_answer, app, asked)

    return answer


async def _asgi_answer(app: _AsgiApp, asked: SiteRequest) -> SiteAnswer:
    path, _, query = asked.target.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": unquote_to_bytes(path).decode("utf-8", "replace"),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in asked.headers.items()],
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 0),
        "state": {},
    }
    given = [{"type": "http.request", "body": asked.body, "more_body": False}]
    sent: list[_Message] = []

    async def receive() -> _Message:
        return given.pop() if given else {"type": "http.disconnect"}

    async def send(message: _Message) -> None:
        sent.append(message)

    with anyio.fail_after(_ANSWER_S):
        await app(scope, receive, send)
    start = next(each for each in sent if each["type"] == "http.response.start")
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in start.get("headers", ())]
    body = b"".join(each.get("body", b"") for each in sent if each["type"] == "http.response.body")
    return _site_answer(start["status"], headers, body)


def _site_answer(status: int, headers: Iterable[tuple[str, str]], body: bytes) -> SiteAnswer:
    kind, kept = "application/octet-stream", []
    for name, value in headers:
        if name.lower() == "content-type":
            kind = value
        elif name.lower() not in ("content-length", "connection", "transfer-encoding", "date", "server"):
            kept.append((name.lower(), value))
    return SiteAnswer(status, body, kind, tuple(kept))
