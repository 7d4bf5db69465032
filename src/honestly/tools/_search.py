"""The tool `search`: one callable, from a query to results, behind it whatever engine the person has.

It runs outside of the sandbox, so that keys never enter it. A search can find the answer to a task that is on the web;
so what the model is shown is everything that was found, each result with its address: it is on record in the
trajectory, where an audit can look for it. The engines of the web follow below, that of files is in
`_search_files.py`.
"""

import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from honestly.errors import ToolError
from honestly.sandbox import Sandbox
from honestly.tools._api import FunctionTool, ToolResult
from honestly.tools._fetch import Fetched, WantedRequest, fetch_reply
from honestly.tools._text import middle_dropped, printed_text

_QUERY, _TITLE, _URL, _SNIPPET = 400, 300, 2000, 1500
_T = TypeVar("_T")
_HINTS = {
    401: "the key was refused",
    403: "the key was refused, or the server gives no JSON (SearXNG: `formats` in settings.yml)",
    429: "too many requests; ask again later",
}


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result of a search: title, address, excerpt."""

    title: str
    url: str
    """Where it is; for local files, their path."""
    snippet: str


Engine = Callable[[str, int], Awaitable[Sequence[SearchResult]]]
"""A search engine: from a query and a maximum number to results, best first. Raises ToolError if it cannot."""


class Search(FunctionTool):
    """The tool that searches with a search engine."""

    def __init__(self, engine: Engine, *, most: int = 8, doc: str = "Searches the web.") -> None:
        """A search.

        Args:
            engine: Who searches.
            most: Results that one query gives.
            doc: What the model is told of where it searches.
        """
        self._engine, self._most = engine, most
        doc = f"{doc} Returns titles, addresses and excerpts; each search is logged."
        super().__init__(self._search, name="search", doc=doc)

    async def _search(
        self,
        box: Sandbox,  # noqa: ARG002 - the engine is asked outside of it
        query: Annotated[str, Meta(description="A few words.", min_length=1, max_length=_QUERY)],
    ) -> ToolResult:
        if not (query := query.strip()):
            raise ToolError("the query is empty")
        if not (found := (await self._engine(query, self._most))[: self._most]):
            return ToolResult(text=f"nothing was found for {query!r}")
        return ToolResult(
            text="\n\n".join(f"{number}. {_results_text(result)}" for number, result in enumerate(found, 1))
        )


def _results_text(found: SearchResult) -> str:
    title, url, snippet = (
        middle_dropped(" ".join(printed_text(text.encode("utf-8", "replace")).split()), most)[0]
        for text, most in ((found.title, _TITLE), (found.url, _URL), (found.snippet, _SNIPPET))
    )
    return f"{title}\n   {url}\n   {snippet}"


class _Result(msgspec.Struct):
    title: str | None = None
    url: str | None = None
    description: str | None = None
    content: str | None = None


class _Results(msgspec.Struct):
    results: list[_Result] = []


class _Brave(msgspec.Struct):
    web: _Results | None = None


def brave_engine(key: str, base: str = "https://api.search.brave.com") -> Engine:
    """Make an engine that asks Brave's search API with your key."""

    async def search(query: str, most: int) -> Sequence[SearchResult]:
        wanted = WantedRequest(
            method="GET",
            url=f"{base}/res/v1/web/search",
            query={"q": query, "count": str(most)},
            headers={"accept": "application/json", "x-subscription-token": key},
            secrets=(key,),
            proxies=True,
        )
        web = _decoded_reply(await fetch_reply(wanted), _Brave, "Brave").web
        return _found_results(web.results if web else [])

    return search


def tavily_engine(key: str, base: str = "https://api.tavily.com") -> Engine:
    """Make an engine that asks Tavily's search API with your key."""

    async def search(query: str, most: int) -> Sequence[SearchResult]:
        wanted = WantedRequest(
            method="POST",
            url=f"{base}/search",
            body=msgspec.json.encode({"query": query, "max_results": most}),
            headers={"content-type": "application/json", "authorization": f"Bearer {key}"},
            secrets=(key,),
            proxies=True,
        )
        return _found_results(_decoded_reply(await fetch_reply(wanted), _Results, "Tavily").results)

    return search


def searxng_engine(url: str) -> Engine:
    """Make an engine that asks a SearXNG server with JSON enabled; it needs no key."""

    async def search(query: str, most: int) -> Sequence[SearchResult]:
        wanted = WantedRequest(
            method="GET", url=f"{url.rstrip('/')}/search", query={"q": query, "format": "json"}, proxies=True
        )
        return _found_results(_decoded_reply(await fetch_reply(wanted), _Results, "SearXNG").results)[:most]

    return search


def engine_of_environment() -> Engine:
    """The engine that this machine's variables name: BRAVE_API_KEY, TAVILY_API_KEY or SEARXNG_URL, in this order.

    Raises:
        ToolError: They name none.
    """
    for name, make in (
        ("BRAVE_API_KEY", brave_engine),
        ("TAVILY_API_KEY", tavily_engine),
        ("SEARXNG_URL", searxng_engine),
    ):
        if value := os.environ.get(name):
            return make(value)
    raise ToolError("nobody to search with: set BRAVE_API_KEY, TAVILY_API_KEY or SEARXNG_URL, or pass an engine")


def _decoded_reply(reply: Fetched, kind: type[_T], who: str) -> _T:
    if reply.status != 200:
        hint = _HINTS.get(reply.status, printed_text(reply.body[:200]))
        raise ToolError(f"{who} answered with status {reply.status}: {hint}")
    try:
        return msgspec.json.decode(reply.body, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ToolError(f"{who} sent no results that can be read: {error}") from None


def _found_results(results: Sequence[_Result]) -> list[SearchResult]:
    return [SearchResult(one.title or "", one.url, one.description or one.content or "") for one in results if one.url]
