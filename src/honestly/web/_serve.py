"""The server of the viewer: where it listens, what it prints, how it ends.

It listens on this machine alone, unless it is told to listen elsewhere and has a password for it. The port is chosen
by the system, if nobody says. `serve` returns when it is interrupted; what was answered has been written by then.
Connections are few, and one that brings no request in time is closed.
"""

import asyncio
import re
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from honestly.errors import HonestlyError, ViewError
from honestly.web._app import make_app
from honestly.web._figures import BOARD, figure_pieces
from honestly.web._guard import Access, App
from honestly.web._library import Library
from honestly.web._pages import Pages, prepare_templates

_SHORTEST = 12
"""Characters of a password."""
_CONNECTIONS = 200
"""At once; a browser needs six."""
_LATE = 15.0
"""Seconds in which a connection brings the head of a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where a viewer listens."""

    host: str = "127.0.0.1"
    port: int = 0
    """0: one that is free."""
    password: str = ""
    """Needed where the host is not this machine alone."""

    def __post_init__(self) -> None:
        if re.fullmatch(r"[\d.]+|.*:.*", self.host):
            try:
                ip_address(self.host)
            except ValueError:
                raise ViewError(f"{self.host} is no address; expected one such as 127.0.0.1, without a port") from None
        if self.open and len(self.password) < _SHORTEST:
            raise ViewError(
                f"{self.host} can be reached from elsewhere: give a password of {_SHORTEST} characters or more "
                "(--password-file), or leave the host out"
            )

    @property
    def open(self) -> bool:
        """Whether it can be reached from another machine."""
        try:
            return not ip_address(self.host).is_loopback
        except ValueError:
            return self.host != "localhost"


def serve_viewer(
    paths: Iterable[Path], place: Listening, tell: Callable[[str], None], *, browser: bool = False, keys: bool = False
) -> None:
    """Show studies until interrupted.

    Args:
        paths: of the studies.
        place: where to listen.
        tell: gets the address that opens the viewer.
        browser: whether it is opened in the user's browser.
        keys: whether Enter on standard input prints another address.

    Raises:
        ViewError: the address is taken, or not of this machine.
    """
    library = Library(paths)
    threading.Thread(target=_prepare, args=(library, Pages(library, Access(frozenset()))), daemon=True).start()
    try:
        family, kind, _, _, address = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()  # whoever opens the address at once waits for the server instead of being refused
    except OSError as error:
        raise ViewError(
            f"cannot listen on {place.host} port {place.port}: {error.strerror or error}; give another --port"
        ) from error
    port = listening.getsockname()[1]
    access = Access(_server_names(place, port), place.password)
    shown = place.host if not place.open else socket.gethostname()
    base = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
    server = make_server(make_app(library, access))
    first = f"{base}?token={access.new_token()}"
    tell(first)
    if browser:
        webbrowser.open(first)
    if keys:
        threading.Thread(target=_more, args=(access, base, tell), daemon=True).start()
    try:
        server.run([listening])
    finally:
        library.close()


def make_server(app: App) -> uvicorn.Server:
    """The server of a viewer."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=_Impatient,
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            limit_concurrency=_CONNECTIONS,
            timeout_graceful_shutdown=3,
            proxy_headers=False,
        )
    )


class _Impatient(H11Protocol):
    """A connection that is closed where it brings no request, or one head for ever."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Look at it now and then from now on."""
        super().connection_made(transport)
        self.loop.call_later(_LATE, self._close_if_idle, None)

    def _close_if_idle(self, before: object) -> None:
        if self.transport.is_closing():
            return
        if self.conn.their_state is h11.IDLE and self.cycle is before:
            self.transport.close()
        else:
            self.loop.call_later(_LATE, self._close_if_idle, self.cycle)


def _prepare(library: Library, pages: Pages) -> None:
    """Make what the first page needs before anybody asks for it; of a single study its list, too."""
    prepare_templates()
    with suppress(HonestlyError):  # the pages say what is wrong with a study
        for study in library:
            study.tally()
            if len(library) == 1:
                figure_pieces(pages, study, BOARD, wait=0)
                study.listing()


def _more(access: Access, base: str, tell: Callable[[str], None]) -> None:
    for _ in sys.stdin:
        tell(f"{base}?token={access.new_token()}")


def _server_names(place: Listening, port: int) -> frozenset[str]:
    own = {socket.gethostname(), socket.getfqdn()} if place.open else set()
    return frozenset(f"{name.lower()}:{port}" for name in {"127.0.0.1", "localhost", "[::1]", place.host} | own)
