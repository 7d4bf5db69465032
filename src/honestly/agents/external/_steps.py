"""The steps of an external agent, out of what went through its proxy.

Each request repeats the whole conversation; what is new in it since the last one are the results of tools and what the
program told the model, and the reply is what the agent did. A program may hold several conversations at once: helpers,
titles, summaries. One belongs to a known thread if it begins like it, or speaks of a call that the thread has made; a
program may rewrite what lies behind (to make room), so that only what was never seen there is taken for new. The thread
in which most was answered with tools at hand is the agent's own; the others have names.

While the program works, `Follower` keeps the steps so far; at the end `noted_steps` reads them again from the whole
record, in the order of the requests, since replies to several at once may come in any order.

Nothing is made up: a request that failed is not a step, and a call whose result never went to the model has none here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from honestly.agents._replies import MISUSED, tool_definition
from honestly.models import Exchange, Image, Message, ProxyTurn, ToolSpec, proxy_turn
from honestly.records import Observation, Picture, Step, ToolCall, ToolDefinition, digest

_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class NotedSteps:
    """The steps in a proxy's record, and what else it says."""

    steps: tuple[Step, ...]
    tools: tuple[ToolDefinition, ...]
    """What the agent's own thread was told of."""
    trouble: str
    """Why the last request of the agent's own thread was not answered; empty where it was."""
    answers: int
    """Answers of the model, all threads together."""


def noted_steps(exchanges: Iterable[Exchange]) -> NotedSteps:
    """Read the steps of an agent out of a proxy's record."""
    conversations = _Conversations()
    for exchange in exchanges:
        turn = proxy_turn(exchange)
        if turn.asked is not None:
            conversations.add(exchange, turn)
    return conversations.noted_steps()


class Follower:
    """Keeps a run's steps up with what goes through its proxy."""

    def __init__(self, steps: list[Step]) -> None:
        """`steps`: of the run; what is there already stays."""
        self._steps, self._begun = steps, len(steps)
        self._conversations = _Conversations()

    def take_exchange(self, exchange: Exchange) -> None:
        """Take in a request, or a request with its reply."""
        turn = proxy_turn(exchange)
        if turn.asked is not None:
            self._conversations.add(exchange, turn)
            self.settle(self._conversations.noted_steps().steps)

    def settle(self, steps: Sequence[Step]) -> None:
        """Puts these steps where those so far are, touching what differs only."""
        for at, step in enumerate(steps, self._begun):
            if at == len(self._steps):
                self._steps.append(step)
            elif self._steps[at] != step:
                self._steps[at] = step
        del self._steps[self._begun + len(steps) :]


@dataclass
class _Draft:
    """A step that may still be answered."""

    source: Literal["system", "user", "agent"]
    fields: dict[str, Any]
    calls: tuple[ToolCall, ...] = ()
    seen: list[Observation] = field(default_factory=list)

    def step(self, thread: str) -> Step:
        return Step(source=self.source, thread=thread, calls=self.calls, observations=tuple(self.seen), **self.fields)


@dataclass
class _Thread:
    """One conversation."""

    keys: list[str] = field(default_factory=list)
    """Of its messages, as they stood in the last request, and of the reply."""
    known: set[str] = field(default_factory=set)
    """Of all messages that ever stood in it."""
    calls: dict[str, _Draft] = field(default_factory=dict)
    """The steps that made calls, by the call's id."""
    system: str = ""
    tools: dict[str, ToolSpec] = field(default_factory=dict)
    worked: int = 0
    """Answers that were asked for with tools at hand."""
    answered: int = 0
    trouble: str = ""


class _Conversations:
    """All threads, and their steps in the order in which they happened."""

    def __init__(self) -> None:
        self._threads: list[_Thread] = []
        self._drafts: list[tuple[_Thread, _Draft]] = []

    def add(self, exchange: Exchange, turn: ProxyTurn) -> None:
        """Takes in one request and its reply."""
        assert turn.asked is not None
        system = "\n\n".join(message.text for message in turn.asked.messages if message.role == "system")
        said = [message for message in turn.asked.messages if message.role != "system"]
        keys = [_message_key(message) for message in said]
        thread, shared = self._thread_continued(keys, said)
        for spec in turn.asked.tools:
            thread.tools.setdefault(spec.name, spec)
        if system and system != thread.system:
            thread.system = system
            self._new_draft(thread, "system", message=system)
        rewritten = shared < len(thread.keys)
        for message, key in zip(said[shared:], keys[shared:], strict=True):
            if not (rewritten and key in thread.known):
                self._take_message(thread, message, exchange.request.at)
        thread.keys = keys
        thread.known.update(keys)
        thread.trouble = turn.why
        if turn.message is not None:
            reply = exchange.reply
            assert reply is not None
            assert turn.asked is not None
            draft = self._new_draft(
                thread,
                "agent",
                message=turn.message.text,
                images=_message_pictures(turn.message.images),
                reasoning=turn.message.thinking,
                model=turn.message.model or reply.model or exchange.request.model,
                usage=reply.usage,
                at=exchange.request.at,
                seconds=reply.seconds,
                effort=turn.asked.settings.effort or "",
                llm_calls=1,
                logprobs=turn.message.logprobs,
                token_ids=turn.message.token_ids,
            )
            self._remember_calls(thread, draft, turn.message)
            thread.keys.append(_message_key(turn.message))
            thread.known.add(thread.keys[-1])
            thread.answered += 1
            thread.worked += bool(turn.asked.tools)

    def noted_steps(self) -> NotedSteps:
        """Everything so far."""
        if not self._threads:
            return NotedSteps((), (), "", 0)
        main = max(self._threads, key=lambda thread: thread.worked)
        others = [thread for thread in self._threads if thread is not main]
        names = {id(thread): f"thread-{number}" for number, thread in enumerate(others, 2)} | {id(main): ""}
        return NotedSteps(
            steps=tuple(draft.step(names[id(thread)]) for thread, draft in self._drafts),
            tools=tuple(tool_definition(spec) for spec in main.tools.values()),
            trouble=main.trouble,
            answers=sum(thread.answered for thread in self._threads),
        )

    def _thread_continued(self, keys: Sequence[str], said: Sequence[Message]) -> tuple[_Thread, int]:
        """The thread that these messages continue, and how many of them it has word for word."""
        made = {call.id for message in said for call in message.calls if call.id}
        best, most = None, 0
        for thread in self._threads:
            pairs = zip(thread.keys, keys, strict=False)
            shared = next(
                (at for at, (first, second) in enumerate(pairs) if first != second), min(len(thread.keys), len(keys))
            )
            if shared >= max(1, min(2, len(keys), len(thread.keys))) and shared > most:
                best, most = thread, shared
        if best is None:
            best = next((thread for thread in self._threads if made & thread.calls.keys()), None)
        if best is None:
            best = _Thread()
            self._threads.append(best)
        return best, most

    def _take_message(self, thread: _Thread, message: Message, at: str) -> None:
        if message.role == "tool":
            seen = Observation(text=message.text, call_id=message.call_id, images=_message_pictures(message.images))
            asked = thread.calls.get(message.call_id or "")
            if asked is None:
                asked = self._new_draft(thread, "user", at=at)
            asked.seen.append(seen)
        elif message.role == "assistant":
            if not any(call.id in thread.calls for call in message.calls):
                self._remember_calls(
                    thread, self._new_draft(thread, "agent", message=message.text, copied=True), message
                )
        else:
            self._new_draft(thread, "user", message=message.text, images=_message_pictures(message.images), at=at)

    def _remember_calls(self, thread: _Thread, draft: _Draft, message: Message) -> None:
        draft.calls = tuple(_own_tool_call(call.id, call.name, call.arguments) for call in message.calls)
        thread.calls |= {call.id: draft for call in message.calls}

    def _new_draft(self, thread: _Thread, source: Literal["system", "user", "agent"], **fields: object) -> _Draft:
        draft = _Draft(source, fields)
        self._drafts.append((thread, draft))
        return draft


def _message_key(message: Message) -> str:
    """The key of a message, however a program writes it down again."""
    images = [digest("image", image.data) for image in message.images]
    calls = [(call.id, call.name) for call in message.calls]
    return digest("message", message.role, message.text.strip(), calls, message.call_id, images)


def _own_tool_call(call_id: str, name: str, arguments: str) -> ToolCall:
    """A call with its arguments as they were written, or as text where they are not an object."""
    try:
        raw = msgspec.json.decode(arguments or "{}", type=dict[str, msgspec.Raw])
        msgspec.json.decode(arguments or "{}")  # what stays as it is must be readable later
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return ToolCall.of(call_id, name, **{MISUSED: arguments[:_LONGEST].encode("utf-8", "replace").decode()})
    return ToolCall(id=call_id, name=name, arguments={key: msgspec.Raw(bytes(value)) for key, value in raw.items()})


def _message_pictures(images: Sequence[Image]) -> tuple[Picture, ...]:
    return tuple(Picture(media_type=image.media_type, data=image.data) for image in images)
