"""API first, browser where there is none: the instruction of an agent that has both, and documentation on demand.

After Song, Xu, Zhou and Neubig, "Beyond Browsing: API-Based Web Agents" (2024): the prompt lists endpoints only, a tool
gives the page of one, replies lose their middle beyond 10,000 characters (`_http.py`), and what an interface did is
looked at in the browser. The words are ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated

from msgspec import Meta

from honestly.errors import ToolError
from honestly.sandbox import Sandbox
from honestly.tools._api import FunctionTool, ToolResult
from honestly.tools._http import Api
from honestly.tools._text import middle_dropped, printed_text

_KEEP = 10_000
_SUMMARY = 160


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with a version."""

    name: str
    version: str
    text: str
    """The words, with `{endpoints}` where the list of endpoints goes."""

    def filled(self, apis: Sequence[Api]) -> str:
        """The text with the endpoints of these interfaces in their place."""
        lines = []
        for api in apis:
            lines.append(f"{api.base}")
            for endpoint, page in api.pages.items():
                summary = (
                    printed_text(page.encode("utf-8", "replace")).strip().partition("\n")[0].lstrip("# ")[:_SUMMARY]
                )
                lines.append(f"- {endpoint}" + (f": {summary}" if summary and summary != endpoint else ""))
        return self.text.replace("{endpoints}", ("\n".join(lines) or "(none)"))


HYBRID = Prompt(
    name="hybrid",
    version="1",
    text="""\
You can work with this website in two ways: by its HTTP interface (the tool `http`), and in a browser (the tool
`browser`).

1. First look whether an endpoint below can do what is needed. If one can, read its page with `api_documentation`, then
   call it: that is faster and more exact than clicking.
2. Where there is no endpoint, or it keeps failing, use the browser.
3. After you have changed something through the interface, look at it in the browser before you say that it is done.

Never guess an endpoint, a parameter or an identifier: look it up. Replies longer than 10,000 characters lose their
middle; ask for less (filters, pages) instead of asking again.

Endpoints:
{endpoints}
""",
)
"""The prompt for an agent with the tools `http`, `api_documentation` and `browser`."""

INTERFACES = Prompt(
    name="interfaces",
    version="1",
    text="""\
You can call the HTTP interfaces below with the tool `http`. Read the page of an endpoint with `api_documentation`
before you call it. Never guess an endpoint, a parameter or an identifier: look it up. Replies longer than 10,000
characters lose their middle; ask for less (filters, pages) instead of asking again.

Endpoints:
{endpoints}
""",
)
"""The prompt for an agent without a browser."""


class ApiDocumentation(FunctionTool):
    """The tool that shows the documentation of one endpoint at a time."""

    def __init__(self, apis: Sequence[Api], *, keep: int = _KEEP) -> None:
        """A tool over the pages of these interfaces; `keep` characters of a page are shown."""
        self._pages = {endpoint: page for api in apis for endpoint, page in api.pages.items()}
        self._keep = keep
        doc = "Returns the documentation of an endpoint: parameters, and what it replies."
        super().__init__(self._look_up, name="api_documentation", doc=doc)

    async def _look_up(
        self,
        box: Sandbox,  # noqa: ARG002 - the pages lie outside of it
        endpoint: Annotated[str, Meta(description="As it stands in the list of endpoints.", max_length=500)],
    ) -> ToolResult:
        endpoint = " ".join(endpoint.split())
        if endpoint not in self._pages:
            near = get_close_matches(endpoint, self._pages, n=3, cutoff=0.4)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise ToolError(f"there is no endpoint {endpoint!r} in the list{hint}")
        text, dropped = middle_dropped(printed_text(self._pages[endpoint].encode("utf-8", "replace")), self._keep)
        return ToolResult(text=text, dropped=dropped)
