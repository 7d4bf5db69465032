"""The tool `search`: one callable, from a query to results, behind it whatever engine the person has.

It runs outside of the sandbox, so that keys never enter it. A search can find the answer to a task that is on the web;
so what the model is shown is everything that was found, each result with its address: it is on record in the
trajectory, where an audit can look for it. Engines are in `_search_web.py` and `_search_files.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from honestly.errors import ToolError
from honestly.models import ToolSpec
from honestly.sandbox import Sandbox
from honestly.tools._api import Arguments, Out
from honestly.tools._text import middle_dropped, plain

_QUERY, _TITLE, _URL, _SNIPPET = 400, 300, 2000, 1500


@dataclass(frozen=True, slots=True)
class Found:
    """One result."""

    title: str
    url: str
    """Where it is; for local files, their path."""
    snippet: str


Engine = Callable[[str, int], Awaitable[Sequence[Found]]]
"""From a query, and how many results are wanted at most, to results, best first. Raises ToolError if it cannot."""


class Search:
    """The tool."""

    def __init__(self, engine: Engine, *, most: int = 8, doc: str = "Searches the web.") -> None:
        """A search.

        Args:
            engine: Who searches.
            most: Results that one query gives.
            doc: What the model is told of where it searches.
        """
        self._engine, self._most = engine, most
        self._arguments = Arguments(self._signature, skip=0)
        doc = f"{doc} Returns titles, addresses and excerpts; each search is logged."
        self.spec = ToolSpec(name="search", doc=doc, schema=self._arguments.schema)

    async def _signature(
        self, query: Annotated[str, Meta(description="A few words.", min_length=1, max_length=_QUERY)]
    ) -> None:
        """What a model may give: the schema is made of it."""

    async def __call__(self, box: Sandbox, arguments: Mapping[str, Any]) -> Out:  # noqa: ARG002
        """Searches; the sandbox has no part in it.

        Raises:
            ToolError: The engine cannot be asked.
        """
        query = self._arguments.check(arguments)["query"].strip()
        if not query:
            raise ToolError("the query is empty")
        found = (await self._engine(query, self._most))[: self._most]
        if not found:
            return Out(text=f"nothing was found for {query!r}")
        return Out(text="\n\n".join(f"{number}. {_shown(result)}" for number, result in enumerate(found, 1)))

    async def close(self) -> None:
        """Keeps nothing."""


def _shown(found: Found) -> str:
    title, url, snippet = (
        middle_dropped(" ".join(plain(text.encode("utf-8", "replace")).split()), most)[0]
        for text, most in ((found.title, _TITLE), (found.url, _URL), (found.snippet, _SNIPPET))
    )
    return f"{title}\n   {url}\n   {snippet}"
