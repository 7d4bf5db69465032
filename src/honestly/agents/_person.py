"""Whoever watches an agent at work, and may speak to it: a person at a terminal, a simulated user, or nobody."""

from collections.abc import Sequence
from typing import Protocol

from honestly.records import Step


class Person(Protocol):
    """A person who watches an agent and can send it messages."""

    @property
    def there(self) -> bool:
        """Whether questions will be read by anybody."""
        ...

    def shows(self, step: Step) -> None:
        """Show the person a step: when the model has spoken, and again with each observation that the step gains."""
        ...

    def said(self) -> Sequence[str]:
        """The lines that were typed since the last time; the model gets them before its next turn."""
        ...

    def stopping(self) -> bool:
        """Whether the agent shall stop before its next turn."""
        ...

    async def answer(self, question: str) -> str:
        """The answer to a question; empty if there will be none."""
        ...


class Nobody:
    """No person: nobody watches or answers."""

    there = False

    def shows(self, step: Step) -> None:
        """Do nothing: the step goes unseen."""

    def said(self) -> Sequence[str]:
        """Return no lines."""
        return ()

    def stopping(self) -> bool:
        """Return False: nobody stops the agent."""
        return False

    async def answer(self, question: str) -> str:  # noqa: ARG002
        """Return no answer."""
        return ""


NOBODY: Person = Nobody()
