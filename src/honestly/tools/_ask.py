"""The tool `ask`: a question to the person who gave the task, or to somebody who plays that person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Protocol

from msgspec import Meta

from honestly.errors import ToolError
from honestly.models import ToolSpec
from honestly.sandbox import Sandbox
from honestly.tools._api import Arguments, Out
from honestly.tools._text import middle_dropped, plain

_QUESTION, _ANSWER = 4000, 20_000


class User(Protocol):
    """Who is asked: a person at a terminal, a model that holds what the task leaves open, or a script."""

    async def __call__(self, question: str, /) -> str:
        """The answer; empty if there will be none."""
        ...


class Ask:
    """The tool; one for each trial, since it counts."""

    def __init__(self, user: User, *, most: int = 5) -> None:
        """A tool that asks `user`, at most `most` times."""
        self._user, self._left = user, most
        self._arguments = Arguments(self._signature, skip=0)
        doc = f"Asks the person who gave the task, who answers only what is asked. At most {most} questions."
        self.spec = ToolSpec(name="ask", doc=doc, schema=self._arguments.schema)

    async def _signature(
        self, question: Annotated[str, Meta(description="One question.", min_length=1, max_length=_QUESTION)]
    ) -> None:
        """What a model may give: the schema is made of it."""

    async def __call__(self, box: Sandbox, arguments: Mapping[str, Any]) -> Out:  # noqa: ARG002
        """Asks.

        Raises:
            ToolError: There are no questions left.
        """
        question = self._arguments.check(arguments)["question"].strip()
        if not question:
            raise ToolError("the question is empty")
        if self._left <= 0:
            raise ToolError("no questions are left; go on with what you know, and say what you assumed")
        self._left -= 1
        answer = plain((await self._user(question)).encode("utf-8", "replace")).strip()
        if not answer:
            return Out(text="[no answer; go on with what you know, and say what you assumed]")
        text, dropped = middle_dropped(answer, _ANSWER)
        return Out(text=text, dropped=dropped)

    async def close(self) -> None:
        """Keeps nothing open."""
