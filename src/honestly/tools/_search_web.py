"""Three engines for the tool `search`: Brave, Tavily, and a SearXNG of one's own.

Replies are read as their makers document them (api.search.brave.com/res/v1/web/search, api.tavily.com/search,
docs.searxng.org/dev/search_api); what a result lacks is empty. A key goes into a header of the request and nowhere
else.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from honestly.errors import ToolError
from honestly.tools._fetch import Fetched, Wanted, fetch
from honestly.tools._search import Engine, Found
from honestly.tools._text import plain

_T = TypeVar("_T")
_HINTS = {
    401: "the key was refused",
    403: "the key was refused, or the server gives no JSON (SearXNG: `formats` in settings.yml)",
    429: "too many requests; ask again later",
}


class _Result(msgspec.Struct):
    title: str | None = None
    url: str | None = None
    description: str | None = None
    content: str | None = None


class _Results(msgspec.Struct):
    results: list[_Result] = []


class _Brave(msgspec.Struct):
    web: _Results | None = None


def brave(key: str, base: str = "https://api.search.brave.com") -> Engine:
    """An engine that asks Brave's search API with your key."""

    async def search(query: str, most: int) -> Sequence[Found]:
        wanted = Wanted(
            method="GET",
            url=f"{base}/res/v1/web/search",
            query={"q": query, "count": str(most)},
            headers={"accept": "application/json", "x-subscription-token": key},
            secrets=(key,),
            proxies=True,
        )
        web = _decoded(await fetch(wanted), _Brave, "Brave").web
        return _found(web.results if web else [])

    return search


def tavily(key: str, base: str = "https://api.tavily.com") -> Engine:
    """An engine that asks Tavily's search API with your key."""

    async def search(query: str, most: int) -> Sequence[Found]:
        wanted = Wanted(
            method="POST",
            url=f"{base}/search",
            body=msgspec.json.encode({"query": query, "max_results": most}),
            headers={"content-type": "application/json", "authorization": f"Bearer {key}"},
            secrets=(key,),
            proxies=True,
        )
        return _found(_decoded(await fetch(wanted), _Results, "Tavily").results)

    return search


def searxng(url: str) -> Engine:
    """An engine that asks a SearXNG server with JSON enabled; it needs no key."""

    async def search(query: str, most: int) -> Sequence[Found]:
        wanted = Wanted(
            method="GET", url=f"{url.rstrip('/')}/search", query={"q": query, "format": "json"}, proxies=True
        )
        return _found(_decoded(await fetch(wanted), _Results, "SearXNG").results)[:most]

    return search


def engine_of_environment() -> Engine:
    """The engine that this machine's variables name: BRAVE_API_KEY, TAVILY_API_KEY or SEARXNG_URL, in this order.

    Raises:
        ToolError: They name none.
    """
    for name, make in (("BRAVE_API_KEY", brave), ("TAVILY_API_KEY", tavily), ("SEARXNG_URL", searxng)):
        if value := os.environ.get(name):
            return make(value)
    raise ToolError("nobody to search with: set BRAVE_API_KEY, TAVILY_API_KEY or SEARXNG_URL, or pass an engine")


def _decoded(reply: Fetched, kind: type[_T], who: str) -> _T:
    if reply.status != 200:
        hint = _HINTS.get(reply.status, plain(reply.body[:200]))
        raise ToolError(f"{who} answered with status {reply.status}: {hint}")
    try:
        return msgspec.json.decode(reply.body, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ToolError(f"{who} sent no results that can be read: {error}") from None


def _found(results: Sequence[_Result]) -> list[Found]:
    return [Found(one.title or "", one.url, one.description or one.content or "") for one in results if one.url]
