"""The application: which address is which page, and what is answered where something goes wrong.

Pages are plain functions of a request, in `pages/`; each module has a function `routes(pages)` that this file calls.
They run in threads.
"""

import logging
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from honestly.errors import HonestlyError, StoreError, StudyBusyError
from honestly.show import drawing_style_hash
from honestly.web._guard import Access, Guard, TooLargeError, TooSlowError, form_of
from honestly.web._library import Library
from honestly.web._pages import Pages, static_text
from honestly.web.pages import _artifacts, _compare, _find, _live, _overview, _review, _studies, _trial, _trials

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_LOG = logging.getLogger(__name__)


def make_app(library: Library, access: Access) -> Guard:
    """The viewer of these studies, with its guard."""
    pages = Pages(library, access)
    routes: list[BaseRoute] = [
        Route("/static/{name}", _static),
        Route("/login", _login_page(pages), methods=["GET", "POST"]),
    ]
    for module in (_artifacts, _compare, _find, _live, _overview, _review, _studies, _trial, _trials):
        routes += module.routes(pages)
    app = Starlette(
        routes=routes,
        exception_handlers={
            HonestlyError: lambda request, error: _error_page(pages, request, str(error), 400),
            StoreError: lambda request, error: _error_page(pages, request, str(error), 404),
            StudyBusyError: lambda request, error: _error_page(pages, request, str(error), 503),
            HTTPException: lambda request, error: _error_page(pages, request, error.detail, error.status_code),
            ClientDisconnect: lambda request, _: _error_page(
                pages, request, "The request did not come to its end.", 400
            ),
            TooSlowError: lambda request, _: _error_page(pages, request, "The request took too long.", 408),
            TooLargeError: lambda request, _: _error_page(pages, request, "The request is too large.", 413),
            Exception: lambda request, error: _failure_page(pages, request, error),
        },
    )
    app.state.pages = pages
    return Guard(app, access, drawing_style_hash())


def _error_page(pages: Pages, request: Request, text: str, status: int) -> Response:
    return pages.page("error.html", request, status, text=text, number=status)


def _failure_page(pages: Pages, request: Request, error: Exception) -> Response:
    _LOG.error("the page %s broke", request.url.path, exc_info=error)
    return _error_page(pages, request, "This page broke; the terminal of honestly view says why.", 500)


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if (text := static_text(name)) is None:
        raise HTTPException(404, "There is no such file.")
    kind = _TYPES[name.rpartition(".")[2]]
    return Response(text, media_type=kind, headers={"cache-control": "max-age=31536000, immutable"})


def _login_page(pages: Pages) -> Callable[[Request], Awaitable[Response]]:
    async def login(request: Request) -> Response:
        access = pages.access
        if not access.password:
            raise HTTPException(404, "This viewer has no password.")
        if request.method == "POST":
            right = access.admits_password((await form_of(request)).get("password", ""))
            if right:
                return access.let_in(RedirectResponse("/", 303))
            said = "That is not the password." if right is False else "Too many wrong passwords; wait for a minute."
            return pages.page("login.html", request, 401 if right is False else 429, wrong=said)
        return pages.page("login.html", request, wrong="")

    return login
