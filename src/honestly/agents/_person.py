"""Whoever watches an agent at work, and may speak to it: a person at a terminal, a simulated user, or nobody."""

from collections.abc import Sequence
from typing import Protocol

from honestly.records import Step


class Person(Protocol):
    """Who watches."""

    @property
    def there(self) -> bool:
        """Whether questions will be read by anybody."""
        ...

    def shows(self, step: Step) -> None:
        """Sees a step: when the model has spoken, and again with each observation that it gains."""
        ...

    def said(self) -> Sequence[str]:
        """What was typed since the last time, line by line: given to the model before its next turn."""
        ...

    def stopping(self) -> bool:
        """Whether the agent shall stop before its next turn."""
        ...

    async def answer(self, question: str) -> str:
        """The answer to a question; empty if there will be none."""
        ...


class Nobody:
    """Nobody watches, nobody answers."""

    there = False

    def shows(self, step: Step) -> None:
        """Goes unseen."""

    def said(self) -> Sequence[str]:
        """Nothing."""
        return ()

    def stopping(self) -> bool:
        """Never."""
        return False

    async def answer(self, question: str) -> str:  # noqa: ARG002
        """None."""
        return ""


NOBODY: Person = Nobody()
