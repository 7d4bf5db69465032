"""A request that was judged and read, as whoever answers it gets it: a model, an upstream, or a record."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from honestly.errors import FormatError
from honestly.http import Head, Reply
from honestly.models._api import Message
from honestly.models.chat._http import loads
from honestly.models.dialects._dialect import Asked, Made, Object, json_bytes
from honestly.models.proxy._routes import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request."""

    head: Head
    route: Route
    made: Made
    """What the reply shall say of itself."""
    raw: bytes = b""
    """Its body, as it was sent."""
    body: bytes = b""
    """Its body without compression."""
    found: Object = field(default_factory=dict)
    """Its body as data, with what the path says beside it; empty where it is not an object."""
    asked: Asked | None = None
    """What it asks; None where that is not understood, or nothing is asked."""
    why: str = ""
    """Why it is not understood."""

    @property
    def model(self) -> str:
        """The model that is asked for."""
        named = self.found.get("model") or self.route.model
        return named if isinstance(named, str) else ""

    @property
    def stream(self) -> bool:
        """Whether the answer shall come in pieces."""
        return self.found.get("stream") is True

    def read(self, raw: bytes, body: bytes) -> Question:
        """This request with its body.

        Args:
            raw: As it was sent.
            body: Without compression.
        """
        found, why = _data(body)
        if self.route.model:
            found = {**found, "model": self.route.model}
        if self.route.stream:
            found = {**found, "stream": True}
        asked = None
        if self.route.operation == "answer" and not why:
            try:
                asked = self.route.dialect.parse(found)
            except FormatError as error:
                why = str(error)
        made = dataclasses.replace(self.made, model=str(found.get("model") or ""))
        return dataclasses.replace(self, raw=raw, body=body, found=found, asked=asked, why=why, made=made)


@runtime_checkable
class Answers(Protocol):
    """Who answers."""

    async def answer(self, question: Question, reply: Reply) -> Message | None:
        """Write the reply; return the message in it, where it is known better than the reply says it.

        Raises:
            Refusal, ModelError, BudgetError: There is no answer, or no more of it.
        """
        ...


def _data(body: bytes) -> tuple[dict[str, Any], str]:
    """A body as data; empty, and why, where it is not a JSON object."""
    try:
        found = json.loads(body, object_pairs_hook=_once)
        if b"\\ud" in body.lower():
            found = loads(json_bytes(found))  # lone halves of characters, which no model takes, are question marks
    except RecursionError:
        return {}, "the body is nested too deeply"
    except ValueError as error:
        return {}, f"the body is not JSON: {error}"
    return (found, "") if isinstance(found, dict) else ({}, "the body is not a JSON object")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no name stands twice: of two, somebody else could read the other one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found
