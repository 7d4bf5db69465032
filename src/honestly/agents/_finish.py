"""How an agent ends its work: it says that it is done, that it cannot do it, or what it has to ask first.

Models that have tools say so through the tool `finish`; those that are bad at it may write `DONE:`, `CANNOT:` or
`ASKS:` at the beginning of a line. What is not said is not made up: prose without one of these words is not a claim.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

from msgspec import Meta

from honestly.models import ToolSpec
from honestly.sandbox import Sandbox
from honestly.tools import Arguments, ToolResult

Outcome = Literal["done", "cannot", "asks"]

_SAID = re.compile(r"^[\s*#_>`]*(done|cannot|asks)\b[*_`]*\s*:", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an agent says that it ended: the arguments of its tool `finish`."""

    outcome: Annotated[
        Outcome,
        Meta(description="done: you have seen that it works. cannot: it can't be done; say why. asks: see summary."),
    ]
    summary: Annotated[
        str, Meta(description="What you did, and how you know that it works; or why not; or your question.")
    ]
    not_done: Annotated[str, Meta(description="What was asked for and is not done; empty if everything is.")] = ""


class Finish:
    """The tool by which a model ends its work."""

    def __init__(self) -> None:
        self._arguments = _arguments()
        doc = "End your work and hand it back. Call it alone, as your last action, and be truthful."
        self.spec = ToolSpec(name="finish", doc=doc, schema=self._arguments.schema)
        self.ending: Ending | None = None

    async def __call__(self, box: Sandbox, arguments: Mapping[str, Any]) -> ToolResult:  # noqa: ARG002
        """Notes the ending."""
        self.ending = Ending(**self._arguments.checked_arguments(arguments))
        return ToolResult(text="ended")

    async def close(self) -> None:
        """Does nothing: there is nothing to release."""


@cache
def _arguments() -> Arguments:
    """The same for every trial: to make a schema takes a millisecond."""
    return Arguments(Ending, skip=0)


def read_ending(text: str) -> Ending | None:
    """The ending that a plain text declares, if it does: the last of the words counts."""
    if not (found := list(_SAID.finditer(text))):
        return None
    word = found[-1][1].lower()
    outcome: Outcome = "done" if word == "done" else "cannot" if word == "cannot" else "asks"
    return Ending(outcome=outcome, summary=text.strip())
