"""A conversation with a model: what stands in its next request, and what is on record of it.

The history is linear, so that what was sent can be read from top to bottom. Whatever is said, called for or seen is
appended to the run's steps as it happens. When the history nears what the model can read, or a server refuses it for
its length, its middle gives way to a summary that the model writes in a step of its own: the plan, what was found out,
what was changed, what is left. The system prompt, the task and the last turns stay word for word. If the model writes
nothing, a list of what was done stands in.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

import anyio
from msgspec.structs import replace as change

from honestly.agents._limits import (
    DEFAULT_LIMITS,
    AgentLimits,
    estimated_tokens,
    tokens_missing,
    tool_tokens,
    written_tokens,
)
from honestly.agents._permissions import Permissions
from honestly.agents._person import NOBODY, Person
from honestly.agents._replies import WantedCall, as_step, read_calls, too_long, tool_observation, with_observation
from honestly.agents._run import Run
from honestly.errors import ModelError
from honestly.models import NO_SETTINGS, Message, Model, Settings, ToolSpec
from honestly.records import Step
from honestly.tools import ToolResult

_MOST_SAID = 20_000
_SUMMARISE = (
    "Above is the first part of your own work on the task, which you are about to forget. Write down for yourself what "
    "you need in order to go on: the plan and where you are in it; what you found out (paths, names, commands that "
    "work, errors and their causes); what you changed, file by file; what is left to do. Be exact and brief. Write "
    "only that."
)
_HEAD = 2
_NO_PERMISSIONS = Permissions()
_TAIL_SHARE = 0.25
_EXCERPT = 2_000
_FORGOTTEN = "\n\n---\nThe first part of your work has been left out to save room. Your own summary of it:\n\n"
_SPEAKER = {"system": "SYSTEM", "user": "USER", "assistant": "YOU", "tool": "RESULT"}


@dataclass(frozen=True)
class Guidance:
    """The guidance of an agent's conversation: model, limits, settings, permissions, person."""

    model: Model
    limits: AgentLimits = DEFAULT_LIMITS
    settings: Settings = NO_SETTINGS
    context_tokens: int = 128_000
    """What a conversation may grow to before its middle is summed up."""
    permissions: Permissions = _NO_PERMISSIONS
    person: Person = NOBODY


class ModelTurn(NamedTuple):
    """A reply of the model, with its calls and its place on record."""

    reply: Message
    wanted: list[WantedCall]
    """Its calls."""
    step: int
    """Where it is on record."""


class Conversation:
    """One conversation of an agent with its model about one task."""

    def __init__(self, by: Guidance, run: Run, tools: Sequence[ToolSpec], thread: str = "") -> None:
        self._by, self._run, self._tools, self._thread = by, run, tools, thread
        self._names, self._tools_size = [tool.name for tool in tools], 0
        self._history: list[Message] = []
        self._size = 0
        """Tokens of the history: what the model reported last, and estimates of all that came since."""

    def set_head(self, system: str, task: str) -> None:
        """Says what stands at the top of it, and stays there."""
        self._task = task
        self.tell_model(system, "system")
        self.tell_model(task)

    def tell_model(self, text: str, source: str = "user") -> None:
        """Says something to the model before its next turn."""
        self._record_step(Step(source="system" if source == "system" else "user", message=text))
        self._history.append(Message(role="user" if self._history else "system", text=text))
        self._size += estimated_tokens(self._history[-1:])

    async def next_reply(self) -> ModelTurn | None:
        """The model's next reply; None where the conversation is too long for one.

        Raises:
            ModelError: It did not answer.
            BudgetError: What may be spent is spent.
        """
        if self._size > self._by.context_tokens and self._summary_request()[1]:
            return None
        try:
            said = await self._send(self._history, self._tools)
        except ModelError as error:
            if not too_long(error):
                raise
            return None
        # Into the history goes what servers accept: one that chokes on it would end the trial.
        intact = all(want.call == call for want, call in zip(said.wanted, said.reply.calls, strict=True))
        text = said.reply.text if said.reply.text.strip() or said.wanted else "(nothing)"
        text = text if said.wanted else text[:_MOST_SAID]
        if intact and text == said.reply.text:
            self._history.append(said.reply)
        else:
            calls = tuple(want.call for want in said.wanted)
            opaque = said.reply.opaque if intact else b""
            self._history.append(replace(said.reply, text=text, calls=calls, opaque=opaque))
        usage = said.reply.usage
        self._size = (usage.input_tokens or self._size) + (usage.output_tokens or estimated_tokens(self._history[-1:]))
        return said

    async def make_room(self) -> bool:
        """Puts a summary in the place of the conversation's middle, if it has one."""
        request, cut = self._summary_request()
        if not cut:
            return False
        self._record_step(
            Step(source="system", message=f"[The conversation is long: messages 3 to {cut} are being summed up.]")
        )
        try:
            summary = (await self._send(request, ())).reply.text.strip()
        except ModelError as error:
            if not too_long(error):
                raise
            summary = ""
        self._history = [
            self._history[0],
            replace(self._history[1], text=self._task + _FORGOTTEN + (summary or _deeds(self._history, cut))),
            *self._history[cut:],
        ]
        self._size = estimated_tokens(self._history)
        return True

    def show(self, want: WantedCall, out: ToolResult, step: int, seconds: float) -> None:
        """Shows the model what came of a call."""
        seen = tool_observation(out, want.call.id)
        self._run.steps[step] = with_observation(self._run.steps[step], seen, seconds)
        self._by.person.shows(self._run.steps[step])
        self._history.append(Message(role="tool", text=seen.text, images=out.images, call_id=want.call.id))
        self._size += estimated_tokens(self._history[-1:])

    async def _send(self, messages: list[Message], tools: Sequence[ToolSpec]) -> ModelTurn:
        at, clock = datetime.now(UTC).isoformat(timespec="milliseconds"), anyio.current_time()
        reply = await self._by.model(messages, tools, self._by.settings)
        wanted = read_calls(reply, self._names, len(self._run.steps))
        guessed = self._request_tokens(messages, tools) + written_tokens(reply) if tokens_missing(reply) else None
        return ModelTurn(
            reply, wanted, self._record_step(as_step(reply, wanted, at, anyio.current_time() - clock, guessed))
        )

    def _request_tokens(self, messages: list[Message], tools: Sequence[ToolSpec]) -> int:
        """About how many tokens a request has."""
        if tools and not self._tools_size:
            self._tools_size = tool_tokens(tools)
        size = self._size if messages is self._history else estimated_tokens(messages)
        return size + (self._tools_size if tools else 0)

    def _summary_request(self) -> tuple[list[Message], int]:
        return _summary_request(self._history, min(self._by.context_tokens, estimated_tokens(self._history)))

    def _record_step(self, step: Step) -> int:
        step = change(step, thread=self._thread)
        self._run.steps.append(step)
        self._by.person.shows(step)
        return len(self._run.steps) - 1


def _summary_request(history: Sequence[Message], room: int) -> tuple[list[Message], int]:
    """The request for a summary, and how many messages from the start the summary will stand for (0: nothing to gain).

    Args:
        history: system prompt, task, and the turns.
        room: tokens that a conversation may have.
    """
    # Where the turns begin that stay: as many of the last as have room, and at least one.
    tail = int(room * _TAIL_SHARE)
    starts = [at for at, message in enumerate(history) if at >= _HEAD and message.role == "assistant"]
    cut = starts[-1] if starts else 0
    for at in reversed(starts):
        if estimated_tokens(history[at:]) > tail:
            break
        cut = at
    if cut <= _HEAD:
        return [], 0
    parts = [line for message in history[_HEAD:cut] for line in _message_lines(message)]
    most = int(room * 0.7) * 3
    text = "\n".join(parts)
    if len(text) > most:
        text = f"{text[: most // 2]}\n[... {len(text) - most:,} characters left out ...]\n{text[-most // 2 :]}"
    task = history[1].text
    return [history[0], Message(role="user", text=f"{task}\n\n---\n{text}\n---\n{_SUMMARISE}")], cut


def _deeds(history: Sequence[Message], cut: int) -> str:
    """A list of the calls so far: for when nobody has written a summary."""
    calls = [call for message in history[_HEAD:cut] for call in message.calls]
    lines = [f"- {call.name} {call.arguments[:150]}" for call in calls[-60:]]
    return "\n".join(["(No summary was written. These calls were made:)", *lines])


def _message_lines(message: Message) -> list[str]:
    text = message.text
    if len(text) > _EXCERPT:
        text = f"{text[: _EXCERPT // 2]}\n[...]\n{text[-_EXCERPT // 2 :]}"
    calls = [f"YOU CALLED {call.name} {call.arguments[:_EXCERPT]}" for call in message.calls]
    return ([f"{_SPEAKER[message.role]}: {text}"] if text.strip() else []) + calls
