"""Opening a site: a server on the loopback in front of one that was made afresh, until the block ends."""

import socket
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from honestly._group import flat_group
from honestly.errors import SiteError
from honestly.http import Connection, HttpLimits, Refusal, Reply, connection_requests, serve
from honestly.seams import KnownName, Seam
from honestly.sites._asked import SiteRequest, is_page
from honestly.sites._endpoints import Quality
from honestly.sites._locked import LockedSite
from honestly.sites._mcp import DOCUMENT_PATH, MCP_PATH, DocumentsApi, mcp_answer, openapi_answer
from honestly.sites._record import SiteAnswer, SiteApi, SiteApp

_LIMITS = HttpLimits(body_bytes=1 << 18, idle_s=60.0, stall_s=20.0)
_MOST_SEEN = 50_000
"""Requests that a site answers; it runs among other trials, which one agent must not hold up for ever."""
_MOST_SENT = 8 << 20
"""Bytes that may be sent to it, all together: what it holds is kept with the trial."""
_SITES = "honestly.sites"

SITES = Seam(
    kind="site",
    group="honestly.sites",
    protocol="honestly.sites.SiteApp",
    error=SiteError,
    known=(
        KnownName("company", f"{_SITES}.company._company:Company", "files, chat, tickets and customers of a company"),
        KnownName("forum", f"{_SITES}._forum:Forum", "boards, threads, votes, moderation"),
        KnownName("shop", f"{_SITES}._shop:Shop", "a catalogue, a cart, orders, returns"),
        KnownName("tracker", f"{_SITES}._tracker:Tracker", "projects, tickets, labels, states"),
    ),
)
"""The sites that can be opened. A class may ask for `seed`."""


@dataclass(frozen=True, slots=True)
class TrafficLog:
    """A request that was answered."""

    method: str
    target: str
    status: int


@dataclass(slots=True)
class OpenSite:
    """A site that is being served."""

    name: str
    url: str
    """`http://127.0.0.1:PORT`."""
    app: SiteApp = field(repr=False)
    before: dict[str, Any] = field(default_factory=dict, repr=False)
    """The state in which it was opened."""
    requests: deque[TrafficLog] = field(default_factory=lambda: deque(maxlen=_MOST_SEEN), repr=False)
    """What was asked, the oldest first; of very many, the last."""
    sent: int = 0
    """Bytes of all requests: methods, targets and bodies."""
    troubles: list[str] = field(default_factory=list)
    """Errors of the site's own code; there are none in the built-in ones."""

    def state(self) -> dict[str, Any]:
        """All that the site holds, as plain data in a fixed order: a copy, whatever the site goes on changing."""
        return deepcopy(self.app.state())

    @property
    def mcp(self) -> str:
        """The address of its MCP server, which does what its interface does; empty without an OpenAPI document."""
        return self.url + MCP_PATH if isinstance(self.app, DocumentsApi) else ""

    def api(self, quality: Quality = "good") -> SiteApi:
        """The interface, with documentation of this quality."""
        found = self.app.api(quality)
        return replace(found, base=self.url + found.base)

    def answer(self, asked: SiteRequest) -> SiteAnswer:
        """The answer to a request, which is noted."""
        self._charge_traffic(asked.method, asked.target, len(asked.body))
        if self._is_worn_out():
            return SiteAnswer(429, b'{"error": "this site was asked too much"}', "application/json")
        try:
            if asked.target == MCP_PATH and isinstance(self.app, DocumentsApi):
                answer = mcp_answer(self.app, asked)
            elif asked.target == DOCUMENT_PATH and isinstance(self.app, DocumentsApi):
                answer = openapi_answer(self.app)
            else:
                answer = self.app.answer(asked)
        except Exception as error:  # noqa: BLE001 - a site of somebody else's may raise anything
            self.troubles.append(f"{asked.method} {asked.target}: {type(error).__name__}: {error}")
            answer = SiteAnswer(500, b'{"error": "this site is broken"}', "application/json")
        self.requests.append(TrafficLog(asked.method, asked.target, answer.status))
        return answer

    def refuse_request(self, method: str, target: str, refusal: Refusal) -> SiteAnswer:
        """The answer to a request that does not come to the site, which is noted as long as others are."""
        self._charge_traffic(method, target, 0)
        if not self._is_worn_out():
            self.requests.append(TrafficLog(method, target, refusal.status))
        return SiteAnswer(refusal.status, str(refusal).encode(), "text/plain; charset=utf-8")

    def _charge_traffic(self, method: str, target: str, body: int) -> None:
        # Reading is charged, too: a target may have 64 KiB, and is kept with the trial.
        self.sent += len(method) + len(target) + body

    def _is_worn_out(self) -> bool:
        return self.sent > _MOST_SENT or len(self.requests) >= _MOST_SEEN

    @asynccontextmanager
    async def served_on(self, listener: socket.socket, *, pages_only: bool = False) -> AsyncIterator[None]:
        """Answer whoever connects to a listening socket, which is taken over, until the block ends.

        Args:
            listener: Where: here, or at a sandbox's door.
            pages_only: Whether what lies below /api is refused there.
        """

        async def attend(connection: Connection) -> None:
            async for head in connection_requests(connection):
                try:
                    body = b"".join([piece async for piece in connection.body(ask=True)])
                    if pages_only and not is_page(head.target):
                        raise Refusal(403, "the interface for programs is shut here")
                    answer = self.answer(SiteRequest(head.method, head.target, dict(head.headers), body))
                except Refusal as refusal:
                    answer = self.refuse_request(head.method, head.target, refusal)
                headers = (("cache-control", "no-store"), ("x-content-type-options", "nosniff"), *answer.headers)
                await Reply(connection).send_whole(answer.status, answer.body, headers, answer.kind)

        with listener:
            async with flat_group() as group:
                group.start_soon(serve, listener, _LIMITS, attend)
                yield
                group.cancel_scope.cancel()


@asynccontextmanager
async def open_site(name: str, seed: int = 0) -> AsyncIterator[OpenSite]:
    """Serve a site on the loopback until the block ends.

    Args:
        name: A name in `SITES`, or `module:object`; `NAME#PART` is one that lets nobody change a part of its state.
        seed: From which its content is made.

    Raises:
        SiteError: There is no such site, or no such part.
    """
    of, _, part = name.partition("#")
    app: SiteApp = SITES.make_object(of, {"seed": seed}, factory=True)
    app = LockedSite(app, part) if part else app
    listener = socket.create_server(("127.0.0.1", 0))
    site = OpenSite(name, f"http://127.0.0.1:{listener.getsockname()[1]}", app)
    site.before = site.state()
    async with site.served_on(listener):
        yield site
