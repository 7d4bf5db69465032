"""The agent's means of writing its ticket: the tool `ticket`, or a file for agents that take no tools of ours.

Both only collect. The host writes what was collected when a turn has ended and its work is saved, so that no ticket
ever says `Done` of work that a crash then takes away. An agent without our tool appends lines of JSON to the file
`.symphony-ticket.jsonl` of its workspace: `{"comment": "..."}` or `{"state": "..."}`.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal

from msgspec import Meta

from honestly.errors import ToolError
from honestly.records import Tree
from honestly.sandbox import Sandbox
from honestly.tools import FunctionTool, ToolResult

OUTBOX = ".symphony-ticket.jsonl"
_STATE = re.compile(r"\w[\w .-]{0,59}")
_MOST, _LONGEST = 50, 20_000


@dataclass
class TicketWishes:
    """The unwritten wishes of an agent in a turn."""

    comments: list[str] = field(default_factory=list)
    state: str = ""

    def add_comment(self, text: str) -> None:
        """Adds a comment.

        Raises:
            ToolError: It is empty, or there are too many.
        """
        if not text.strip() or len(self.comments) >= _MOST:
            raise ToolError(f"a comment needs text, and a turn has at most {_MOST} of them")
        self.comments.append(text.strip()[:_LONGEST])

    def change(self, state: str) -> None:
        """Asks for a state; the last one counts.

        Raises:
            ToolError: It cannot be the name of one.
        """
        if not _STATE.fullmatch(state.strip()):
            raise ToolError(f"{state[:80]!r} is not a name of a state; expected letters, digits, spaces, dots, dashes")
        self.state = state.strip()


class TicketTool(FunctionTool):
    """The tool by which a model reads its ticket and writes to it."""

    def __init__(self, wishes: TicketWishes, shown: Callable[[], str]) -> None:
        """A tool that collects in `wishes`; `shown` gives the ticket as it is now."""
        self._wishes, self._shown = wishes, shown
        doc = (
            "Your ticket: `read` shows it as it is now, `comment` adds a comment, `state` moves it to a state. "
            "Comments and state are written when you end, once your files are saved. If a person must answer or review "
            "something, comment what, and move the ticket to the state that your instructions name for that."
        )
        super().__init__(self._use_ticket, name="ticket", doc=doc)

    async def _use_ticket(
        self,
        box: Sandbox,  # noqa: ARG002 - a ticket lies outside of it
        action: Literal["read", "comment", "state"],
        text: Annotated[str, Meta(description="The comment, or the state's name.")] = "",
    ) -> ToolResult:
        if action == "read":
            return ToolResult(text=self._shown())
        if action == "comment":
            self._wishes.add_comment(text)
            return ToolResult(text="noted; it is written when you end")
        self._wishes.change(text)
        return ToolResult(text=f"noted; the ticket becomes {text.strip()} when you end")


def from_outbox(tree: Tree, wishes: TicketWishes) -> list[str]:
    """Adds what stands in the outbox of a workspace; gives what was wrong with it, line by line."""
    file = tree.files.get(OUTBOX)
    troubles = []
    for number, line in enumerate(file.data.split(b"\n") if file else (), 1):
        try:
            given = json.loads(line) if line.strip() else {}
            if not isinstance(given, dict) or not given.keys() <= {"comment", "state"}:
                raise ToolError("expected an object with `comment` or `state`")
            for key, do in (("comment", wishes.add_comment), ("state", wishes.change)):
                if key in given:
                    do(str(given[key]))
        except (ValueError, RecursionError, ToolError) as error:
            troubles.append(f"line {number}: {error}")
    return troubles
