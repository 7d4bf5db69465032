"""The tool `search`: one callable, from a query to results, behind it whatever engine the person has.

It runs outside of the sandbox, so that keys never enter it. A search can find the answer to a task that is on the web;
so what the model is shown is everything that was found, each result with its address: it is on record in the
trajectory, where an audit can look for it. Engines are in `_search_web.py` and `_search_files.py`.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from honestly.errors import ToolError
from honestly.sandbox import Sandbox
from honestly.tools._api import FunctionTool, Out
from honestly.tools._text import middle_dropped, plain

_QUERY, _TITLE, _URL, _SNIPPET = 400, 300, 2000, 1500


@dataclass(frozen=True, slots=True)
class Found:
    """One result of a search."""

    title: str
    url: str
    """Where it is; for local files, their path."""
    snippet: str


Engine = Callable[[str, int], Awaitable[Sequence[Found]]]
"""From a query, and how many results are wanted at most, to results, best first. Raises ToolError if it cannot."""


class Search(FunctionTool):
    """Searches for a model, with whatever engine the person has."""

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
    ) -> Out:
        query = query.strip()
        if not query:
            raise ToolError("the query is empty")
        found = (await self._engine(query, self._most))[: self._most]
        if not found:
            return Out(text=f"nothing was found for {query!r}")
        return Out(text="\n\n".join(f"{number}. {_shown(result)}" for number, result in enumerate(found, 1)))


def _shown(found: Found) -> str:
    title, url, snippet = (
        middle_dropped(" ".join(plain(text.encode("utf-8", "replace")).split()), most)[0]
        for text, most in ((found.title, _TITLE), (found.url, _URL), (found.snippet, _SNIPPET))
    )
    return f"{title}\n   {url}\n   {snippet}"
