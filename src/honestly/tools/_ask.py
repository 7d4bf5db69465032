"""The tool `ask`: a question to the person who gave the task, or to somebody who plays that person."""

from typing import Annotated, Protocol

from msgspec import Meta

from honestly.errors import ToolError
from honestly.sandbox import Sandbox
from honestly.tools._api import FunctionTool, ToolResult
from honestly.tools._text import middle_dropped, printed_text

_QUESTION, _ANSWER = 4000, 20_000


class User(Protocol):
    """Somebody who is asked: a person at a terminal, a model that holds what the task leaves open, or a script."""

    async def __call__(self, question: str, /) -> str:
        """Answer the question; an empty text if nobody will."""
        ...


class Ask(FunctionTool):
    """The tool that asks a user the model's questions; one per trial, because it counts them."""

    def __init__(self, user: User, *, most: int = 5) -> None:
        """A tool that asks `user`, at most `most` times."""
        self._user, self._left = user, most
        doc = f"Asks the person who gave the task, who answers only what is asked. At most {most} questions."
        super().__init__(self._ask_person, name="ask", doc=doc)

    async def _ask_person(
        self,
        box: Sandbox,  # noqa: ARG002 - the question is asked outside of it
        question: Annotated[str, Meta(description="One question.", min_length=1, max_length=_QUESTION)],
    ) -> ToolResult:
        if not (question := question.strip()):
            raise ToolError("the question is empty")
        if self._left <= 0:
            raise ToolError("no questions are left; go on with what you know, and say what you assumed")
        self._left -= 1
        answer = printed_text((await self._user(question)).encode("utf-8", "replace")).strip()
        if not answer:
            return ToolResult(text="[no answer; go on with what you know, and say what you assumed]")
        text, dropped = middle_dropped(answer, _ANSWER)
        return ToolResult(text=text, dropped=dropped)
