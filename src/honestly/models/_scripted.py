"""Models that play a script, for tests and for teaching: no server, no money, the same answers every time.

A turn of a script is a message, a text, a function of the conversation that gives one of both, or an error to raise. A
script on disk has one turn a line, in JSON: `{"text": "Let me look."}`, `{"calls": [{"name": "bash", "arguments":
{"command": "ls"}}]}`, `{"error": "overloaded", "status": 529}`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from honestly._loose import read_whole
from honestly.errors import ModelError
from honestly.models._api import NO_SETTINGS, Call, Message, Sent, Settings, ToolSpec
from honestly.models._sent import given_settings
from honestly.models.chat._http import TRANSIENT
from honestly.records import Usage

Turn = Message | str | ModelError | Callable[[Sequence[Message]], Message | str]
"""One turn of a script."""

_MOST_SCRIPT = 64 << 20


def assistant_message(text: str = "", *calls: Call, thinking: str = "", usage: Usage = Usage()) -> Message:  # noqa: B008 - frozen
    """Make an assistant's message for a script."""
    return Message(role="assistant", text=text, calls=calls, thinking=thinking, usage=usage)


def tool_call(name: str, /, **arguments: object) -> Call:
    """Make a call from plain Python arguments, for a script.

    It gets its identifier when the script is played.
    """
    return Call("", name, msgspec.json.encode(arguments).decode())


class ScriptedModel:
    """A model that plays a script."""

    def __init__(self, turns: Sequence[Turn], *, name: str = "script", by_turn: bool = False) -> None:
        """A model that answers with `turns`, one after the other.

        Args:
            turns: What it answers.
            name: What reports call it.
            by_turn: Answer by the number of answers in the conversation, not by the number of calls so far: many
                conversations at once, and each that begins anew, get the whole script.
        """
        self.name = name
        self.asked: list[tuple[tuple[Message, ...], tuple[ToolSpec, ...], Settings]] = []
        """Each conversation that it was given, with tools and settings."""
        self._turns = tuple(turns)
        self._by_turn = by_turn

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message of the script.

        Raises:
            ModelError: The script says so, or is over.
        """
        number = sum(message.role == "assistant" for message in messages) if self._by_turn else len(self.asked)
        self.asked.append((tuple(messages), tuple(tools), settings))
        if number >= len(self._turns):
            raise ModelError(
                f"the script {self.name!r} has {len(self._turns)} turns, and number {number + 1} was asked for; "
                "add turns to it"
            )
        turn = self._turns[number]
        if isinstance(turn, ModelError):
            raise turn
        answer = turn(messages) if callable(turn) else turn
        # A message with what a server would have added.
        message = assistant_message(answer) if isinstance(answer, str) else answer
        calls = tuple(
            each if each.id else replace(each, id=f"call-{number}-{place}") for place, each in enumerate(message.calls)
        )
        return replace(
            message,
            calls=calls,
            model=message.model or self.name,
            stop=message.stop or ("calls" if calls else "end"),
            sent=message.sent or Sent(model=self.name, settings={}, dropped=given_settings(settings)),
        )


def read_script(path: Path) -> list[Turn]:
    """Read the turns of a script from a file.

    Raises:
        ModelError: It cannot be read, or a line of it is not a turn.
    """
    turns: list[Turn] = []
    for number, line in enumerate(read_whole(path, _MOST_SCRIPT, "the script", ModelError).splitlines(), start=1):
        if line.strip():
            try:
                turns.append(msgspec.json.decode(line, type=_Line).as_turn())
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                expected = 'one turn in JSON, such as {"text": "Done."}'
                raise ModelError(f"line {number} of the script {str(path)!r}: {error}; expected {expected}") from None
    return turns


class _CallLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    arguments: dict[str, Any] | str = {}
    """Text stands for what the model wrote, valid or not."""
    id: str = ""

    def as_call(self) -> Call:
        text = self.arguments if isinstance(self.arguments, str) else msgspec.json.encode(self.arguments).decode()
        return Call(self.id, self.name, text)


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str = ""
    thinking: str = ""
    calls: tuple[_CallLine, ...] = ()
    usage: Usage = Usage()
    stop: str = ""
    error: str | None = None
    status: int | None = None
    retry_after_s: float | None = None

    def as_turn(self) -> Turn:
        if self.error is not None:
            transient = self.status is None or self.status in TRANSIENT
            return ModelError(self.error, transient=transient, status=self.status, retry_after_s=self.retry_after_s)
        calls = tuple(line.as_call() for line in self.calls)
        return replace(assistant_message(self.text, *calls, thinking=self.thinking, usage=self.usage), stop=self.stop)
