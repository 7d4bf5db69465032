"""A model that repeats what it is told."""

from collections.abc import Sequence

from honestly.models import NO_SETTINGS, Message, Settings, ToolSpec

__all__ = ["Echo"]


class Echo:
    """Answers with the last message. Arguments are settings: `--model MODULE:Echo,before=so`."""

    def __init__(self, before: str = "") -> None:
        self.name = f"echo-{before}" if before else "echo"
        self._before = before

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message of the assistant; a ModelError where there is none."""
        return Message(role="assistant", text=f"{self._before} {messages[-1].text}", model=self.name, stop="end")
