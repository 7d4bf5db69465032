"""A model whose every answer leaves a note of what was really sent: names, sampling settings, and what was dropped.

Studies of noise depend on it: a client that drops a temperature or a seed silently makes another experiment. The notes
are an artifact of the trial, `sent.json`: each kind of request once, with the number of calls.
"""

from collections.abc import Sequence
from typing import Any

from honestly.agents._run import Run
from honestly.models import NO_SETTINGS, Message, Model, Settings, ToolSpec
from honestly.records import encode

SENT = "sent.json"
"""Name of the artifact: a list of `{model, settings, dropped, calls}`."""

_MOST = 100


class Noted:
    """A model that notes what was really sent to it."""

    def __init__(self, model: Model, run: Run) -> None:
        self.name = model.name
        self._model, self._run = model, run
        self._kinds: dict[bytes, dict[str, Any]] = {}

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """What the model answers."""
        reply = await self._model(messages, tools, settings)
        if reply.sent is not None:
            kind = {"model": reply.sent.model, "settings": reply.sent.settings, "dropped": reply.sent.dropped}
            key = encode(kind)
            if key in self._kinds or len(self._kinds) < _MOST:
                self._kinds.setdefault(key, kind | {"calls": 0})["calls"] += 1
                self._run.artifacts[SENT] = encode(list(self._kinds.values()))
        return reply
