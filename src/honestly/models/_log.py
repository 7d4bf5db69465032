"""A log of every call: what was really sent, what it used, how long it took, and how it ended.

It holds no message: those are on the cassette and in the trajectory. Headers never get here, so neither do keys.
"""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from honestly.errors import BudgetError, ModelError
from honestly.models._api import NO_SETTINGS, Message, Model, Settings, ToolSpec
from honestly.models._codec import plain_data, settings_json
from honestly.models._sent import given_settings
from honestly.records import Record, Usage, encode
from honestly.work import Journal


class CallRecord(Record, frozen=True, kw_only=True):
    """The record of one call of a model."""

    model: str
    """What reports call it."""
    at: str
    """When it began, ISO 8601, UTC."""
    seconds: float
    messages: int
    """Of the conversation."""
    tools: int
    asked: dict[str, Any] = {}
    """The settings that the caller gave."""
    wire_model: str = ""
    """The name that was asked for on the wire."""
    sent: dict[str, Any] = {}
    """The sampling parameters that went out."""
    dropped: tuple[str, ...] = ()
    """Settings that the caller gave and that did not go out."""
    answered_by: str = ""
    """The model that answered, by its own name."""
    stop: str = ""
    calls: int = 0
    """Tools that the answer wants used."""
    usage: Usage = Usage()
    error: str = ""
    status: int | None = None


class LoggedModel:
    """A model that logs each call of another model, and how it went."""

    def __init__(
        self, model: Model, write: Callable[[CallRecord], object], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """A model that asks `model` and gives `write` a record of each call, when it has ended."""
        self.name = model.name
        self._model, self._write, self._clock = model, write, clock

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message.

        Raises:
            ModelError: As the model does.
            BudgetError: As the model does; such a call was not made, and is noted.
        """
        at, began = datetime.now(UTC).isoformat(timespec="milliseconds"), self._clock()
        record = CallRecord(
            model=self.name, at=at, seconds=0.0, messages=len(messages), tools=len(tools), asked=settings_json(settings)
        )
        try:
            answer = await self._model(messages, tools, settings)
        except (ModelError, BudgetError) as error:
            status = error.status if isinstance(error, ModelError) else None
            self._write(
                replace(record, seconds=self._elapsed_since(began), error=plain_data(str(error)), status=status)
            )
            raise
        sent = answer.sent
        self._write(
            replace(
                record,
                seconds=self._elapsed_since(began),
                wire_model=plain_data(sent.model) if sent else "",
                sent=plain_data(sent.settings) if sent else {},
                dropped=sent.dropped if sent else given_settings(settings),
                answered_by=plain_data(answer.model),
                stop=answer.stop,
                calls=len(answer.calls),
                usage=answer.usage,
            )
        )
        return answer

    def _elapsed_since(self, began: float) -> float:
        return round(self._clock() - began, 4)


def log_file(path: Path) -> Callable[[CallRecord], None]:
    """Make a function that appends call records to a file, one JSON object a line."""

    def write(record: CallRecord) -> None:
        with Journal(path, shared=True) as journal:
            journal.append(encode(record))

    return write
