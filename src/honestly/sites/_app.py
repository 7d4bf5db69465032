"""The parts of the sites: pages, forms and endpoints by decorators, and answers to requests.

A method below `@page("GET /products/{sku}")` gives a `Page`; one below `@endpoint("GET /cart")` plain data; one below
`@form("POST /cart/add", then="/cart")` does something, and the page `then` is shown after it, in which `{...}` is a
part of the path or a value of what the method gives. A method may be an endpoint and a form at once. It gets what was
given, and the parts of the path. Who may log in is one user; the interface takes a key instead.
"""

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from typing import Any, ClassVar, TypeVar
from urllib.parse import quote

import msgspec

from honestly.sites._asked import Refused, RequestValues, SiteRequest, path_of, values_of
from honestly.sites._blocks import Field, FormBlock, Link, Page, Text
from honestly.sites._endpoints import Quality, read_endpoints
from honestly.sites._record import SiteAnswer, SiteApi

_MOST_SESSIONS = 1000
_MOST_ROWS = 2000
_HTML = "text/html; charset=utf-8"
_Handler = TypeVar("_Handler", bound=Callable[..., Any])
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class _Route:
    method: str
    path: str
    login: bool
    then: str = ""

    def values(self, path: Sequence[str]) -> dict[str, str] | None:
        """The values of the parts in braces; None where the path is another."""
        parts = self.path.split("/")
        if len(path) != len(parts):
            return None
        pairs = list(zip(parts, path, strict=True))
        if not all(found == part or (part.startswith("{") and found) for part, found in pairs):
            return None
        return {part[1:-1]: found for part, found in pairs if part.startswith("{")}


def page(target: str, *, login: bool = True) -> Callable[[_Handler], _Handler]:
    """Makes a method give a page: `GET /products/{sku}`."""
    return _routed_method(target, login=login)


def form(target: str, *, then: str) -> Callable[[_Handler], _Handler]:
    """Makes a method do what a form asks for: `POST /cart/add`; who is logged in is shown the page `then` after it."""
    return _routed_method(target, login=True, then=then)


def endpoint(target: str, *, login: bool = True) -> Callable[[_Handler], _Handler]:
    """Makes a method an endpoint below `/api`: `GET /products/{sku}`."""
    method, _, path = target.partition(" ")
    return _routed_method(f"{method} /api{path}", login=login)


def _routed_method(target: str, *, login: bool, then: str = "") -> Callable[[_Handler], _Handler]:
    method, _, path = target.partition(" ")

    def mark(handler: _Handler) -> _Handler:
        handler.__dict__.setdefault("routes", []).append(_Route(method, path, login, then))
        return handler

    return mark


class App:
    """A site with its name, users, pages, forms and endpoints."""

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    menu: ClassVar[tuple[Link, ...]] = ()
    user: ClassVar[str] = ""
    """Who may log in, or acts without a login where there is no password."""
    password: ClassVar[str] = ""
    missing: ClassVar[str] = ""
    """What the interface cannot do."""

    def __init__(self, data: Any) -> None:  # noqa: ANN401 - each site has records of its own
        """A site over these records, which msgspec can write as plain data."""
        self._data = data
        self._key = secrets.token_urlsafe(24)
        self._sessions: set[str] = set()
        handlers = [getattr(self, name) for name in dir(type(self)) if not name.startswith("_")]
        routed = [(route, each) for each in handlers for route in getattr(each, "__dict__", {}).get("routes", ())]
        # Fixed paths first: /tickets/new is no ticket.
        self._routes: list[tuple[_Route, Callable[..., Any]]] = sorted(routed, key=lambda each: each[0].path.count("{"))

    def state(self) -> dict[str, Any]:
        """All that the site holds, as plain data."""
        plain: dict[str, Any] = msgspec.to_builtins(self._data)
        return plain

    def toml_documentation(self) -> str:
        """The documentation of the endpoints, as TOML."""
        return (files("honestly.sites") / "documentation" / f"{self.name}.toml").read_text("utf-8")

    def api(self, quality: Quality) -> SiteApi:
        """The interface and its documentation."""
        endpoints = read_endpoints(self.toml_documentation())
        about = f"All endpoints.\n\n{self.missing}\n" if quality == "good" else "index\n"
        pages = {"GET /": about} | {name: each.endpoint_page(name, quality) for name, each in endpoints.items()}
        used = {name.partition(" ")[0] for name in pages}
        methods = tuple(each for each in ("GET", "POST", "PUT", "PATCH", "DELETE") if each in used)
        headers = {"authorization": f"Bearer {self._key}"} if self.password else {}
        return SiteApi(base="/api", methods=methods, headers=headers, pages=pages)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document of the interface."""
        paths: dict[str, dict[str, Any]] = {}
        for name, each in read_endpoints(self.toml_documentation()).items():
            method, _, path = name.partition(" ")
            paths.setdefault(path, {})[method.lower()] = each.openapi_operation(name)
        info = {"title": self.title, "version": "1", "description": self.missing}
        return {"openapi": "3.1.0", "info": info, "servers": [{"url": "/api"}], "paths": paths}

    @endpoint("GET /", login=False)
    def api_index(self, given: RequestValues) -> dict[str, Any]:
        """All endpoints, and what there is none for."""
        return {"endpoints": list(read_endpoints(self.toml_documentation())), "note": self.missing}

    def answer(self, asked: SiteRequest) -> SiteAnswer:
        """The answer to a request."""
        user, is_api = self._logged_in_user(asked), asked.target.startswith("/api/")
        try:
            route, call, values = self._find_route(asked.method, path_of(asked.target).split("/"))
            given = RequestValues(values_of(asked), user)
            if route.login and not user:
                return self._login_redirect(asked, is_api=is_api)
            result = call(given, **values)
        except Refused as refused:
            if is_api:
                return _json_answer(refused.status, {"error": str(refused)})
            return self._html_answer(Page("That did not work"), user, refused.status, str(refused))
        if route.then:
            found = msgspec.to_builtins(result)
            return _redirect_to(route.then.format(**{**(found if isinstance(found, dict) else {}), **values}))
        if isinstance(result, SiteAnswer):
            return result
        return self._html_answer(result, user) if isinstance(result, Page) else _json_answer(200, result)

    def append_row(self, rows: list[_Row], row: _Row) -> _Row:
        """Append a row to a list of the data.

        Raises:
            Refused: There are too many.
        """
        if len(rows) >= _MOST_ROWS:
            raise Refused(409, "there are too many of these; nothing was added")
        rows.append(row)
        return row

    @page("GET /login", login=False)
    def login_page(self, given: RequestValues) -> Page:
        """The form to log in, with the account that there is."""
        if not self.password:
            raise Refused(404, "nobody need log in here")
        hint = Text(f"The account of this site is {self.user} with the password {self.password}.")
        fields = (Field("user", "User"), Field("password", "Password", type="password"))
        after = Field("next", "", given.text("next", "/"), "hidden")
        return Page("Log in", hint, FormBlock("/login", "Log in", (*fields, after)))

    @page("POST /login", login=False)
    def login(self, given: RequestValues) -> SiteAnswer:
        """Begins a session."""
        if not self.password or (given.text("user"), given.text("password")) != (self.user, self.password):
            raise Refused(403, "there is no such user, or the password is another")
        after = given.text("next", "/")
        session = secrets.token_urlsafe(16)
        if len(self._sessions) >= _MOST_SESSIONS:
            self._sessions.clear()
        self._sessions.add(session)
        cookie = f"{self.name}-session={session}; Path=/; HttpOnly; SameSite=Lax"
        is_here = after.startswith("/") and not after.startswith(("//", "/\\"))
        return _redirect_to(after if is_here else "/", ("set-cookie", cookie))

    @form("POST /logout", then="/")
    def logout(self, given: RequestValues) -> None:
        """Ends all sessions."""
        self._sessions.clear()

    def _find_route(self, method: str, path: Sequence[str]) -> tuple[_Route, Callable[..., Any], dict[str, str]]:
        method = "GET" if method == "HEAD" else method
        fitting = [(route, call, values) for route, call in self._routes if (values := route.values(path)) is not None]
        for each in fitting:
            if each[0].method == method:
                return each
        if fitting:
            raise Refused(405, f"this is for {', '.join(sorted({route.method for route, _, _ in fitting}))}")
        raise Refused(404, "there is no such page")

    def _logged_in_user(self, asked: SiteRequest) -> str:
        if not self.password:
            return self.user
        try:
            cookie = SimpleCookie(asked.headers.get("cookie", "")).get(f"{self.name}-session")
        except CookieError:
            cookie = None
        key = asked.headers.get("authorization", "").encode()
        is_known = secrets.compare_digest(key, f"Bearer {self._key}".encode())
        return self.user if is_known or (cookie and cookie.value in self._sessions) else ""

    def _login_redirect(self, asked: SiteRequest, *, is_api: bool) -> SiteAnswer:
        if is_api:
            return _json_answer(401, {"error": "log in, or send the key as a bearer token"})
        return _redirect_to(f"/login?next={quote(asked.target, safe='')}" if asked.method == "GET" else "/login")

    def _html_answer(self, found: Page, user: str, status: int = 200, note: str = "") -> SiteAnswer:
        menu: tuple[Link, ...] = self.menu
        session: tuple[FormBlock, ...] = ()
        if self.password and user:
            session = (FormBlock("/logout", "Log out"),)
        elif self.password:
            menu = (*menu, Link("Log in", "/login"))
        return SiteAnswer(status, found.html(self.title, menu, user, note, session).encode("utf-8", "replace"), _HTML)


def row_with(rows: Sequence[_Row], key: str, value: object, what: str) -> _Row:
    """The row of a list whose `key` is `value`, read as a text.

    Raises:
        Refused: There is none.
    """
    found = next((row for row in rows if str(getattr(row, key)) == str(value)), None)
    if found is None:
        raise Refused(404, f"there is no {what} {value}")
    return found


def _redirect_to(path: str, *headers: tuple[str, str]) -> SiteAnswer:
    return SiteAnswer(303, b"", _HTML, (("location", quote(path, safe="/?=&%")), *headers))


def _json_answer(status: int, data: object) -> SiteAnswer:
    return SiteAnswer(status, json.dumps(msgspec.to_builtins(data)).encode(), "application/json")
