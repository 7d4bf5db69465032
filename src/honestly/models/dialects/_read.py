"""Reading a request that a stranger wrote: what is expected is checked, and what nobody took is named.

`Reading` wraps one JSON object. Whoever takes a field says what it should be; at the end of the `with` block all other
fields are noted, by their path without indices, so that a thousand messages with the same unknown field are one note.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Collection
from dataclasses import replace
from types import TracebackType, UnionType
from typing import Any

from honestly.errors import FormatError
from honestly.models._api import Image
from honestly.models.chat._http import printable_line
from honestly.models.dialects._dialect import Object, ParsedRequest

Content = tuple[str, tuple[Image, ...]]
"""A text and the pictures beside it."""

_MOST_NOTES = 200
_MOST_NAME = 60
_MOST_TOKENS = 1 << 40


class Reading:
    """A JSON object that is being read."""

    def __init__(self, found: object, where: str, notes: set[str]) -> None:
        """Begin.

        Args:
            found: The object.
            where: Its path in the body; empty for the body.
            notes: Where paths of fields go that nobody takes.

        Raises:
            FormatError: It is not an object.
        """
        if not isinstance(found, dict):
            raise FormatError(f"{where or 'the body'} is {_json_kind(found)}; expected an object")
        self._found = found
        self._where = where
        self._taken: set[str] = set()
        self.notes = notes

    def __enter__(self) -> Reading:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if kind is None:
            for key, value in self._found.items():
                if key not in self._taken and value is not None:
                    self.note(self.path(printable_line(key, _MOST_NAME)))

    def note(self, path: str) -> None:
        """Record a path that has no place in what is read."""
        if len(self.notes) < _MOST_NOTES:
            self.notes.add(path)

    def path(self, key: str) -> str:
        """Where a field stands."""
        return f"{self._where}.{key}" if self._where else key

    def take_field(self, key: str) -> Any:  # noqa: ANN401 - somebody else's JSON
        """A field as it is; None where it is absent."""
        self._taken.add(key)
        return self._found.get(key)

    def pass_usual(self, key: str, *values: object) -> None:
        """Pass over a field where it says what holds without it too."""
        if any(self._found.get(key) == value for value in values):
            self._taken.add(key)

    def _take_kind(self, key: str, kind: type | UnionType, expected: str) -> Any:  # noqa: ANN401
        found = self.take_field(key)
        # For Python, true is a number too.
        if found is not None and (not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool)):
            raise FormatError(f"{self.path(key)} is {_json_kind(found)}; expected {expected}")
        return found

    def text(self, *keys: str) -> str:
        """The first of these fields that is there, as text; empty where none of them is."""
        found = (self._take_kind(key, str, "a text") for key in keys)
        return next((text for text in found if text is not None), "")

    def one_of(self, key: str, known: Collection[str]) -> str:
        """A text that is one of those that are known."""
        found = self.text(key)
        if found not in known:
            raise FormatError(f"{self.path(key)} is {found[:40]!r}; expected one of {', '.join(known)}")
        return found

    def number(self, key: str) -> float | None:
        """A finite number; None where it is absent."""
        found: float | None = self._take_kind(key, int | float, "a number")
        if isinstance(found, float) and not math.isfinite(found):
            raise FormatError(f"{self.path(key)} is {found}; expected a finite number")
        return found

    def count(self, *keys: str) -> int | None:
        """The first of these fields that is there, as a whole number that is not negative."""
        for key in keys:
            if (found := self.number(key)) is not None:
                if found != found // 1 or not 0 <= found < _MOST_TOKENS:
                    raise FormatError(f"{self.path(key)} is {found!r}; expected a whole number from 0")
                return int(found)
        return None

    def integer_field(self, key: str) -> int | None:
        """A whole number of either sign; noted where it is something else."""
        found = self.number(key)
        if found is not None and (found != found // 1 or abs(found) > 1 << 63):
            self.note(self.path(key))
            return None
        return None if found is None else int(found)

    def flag_field(self, key: str) -> bool:
        """Whether a field says yes."""
        return bool(self._take_kind(key, bool, "true or false"))

    def items(self, key: str) -> list[Any]:
        """A list; empty where it is absent."""
        return self._take_kind(key, list, "a list") or []

    def texts_field(self, key: str) -> tuple[str, ...]:
        """A text, or a list of texts."""
        found = self.take_field(key)
        values = [found] if isinstance(found, str) else found or []
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise FormatError(f"{self.path(key)} is {_json_kind(found)}; expected a text or a list of texts")
        return tuple(values)

    def object_readings(self, key: str) -> list[Reading]:
        """The objects in a list."""
        return [Reading(found, f"{self.path(key)}[]", self.notes) for found in self.items(key)]

    def object_reading(self, key: str) -> Reading:
        """An object; an empty one where it is absent."""
        found = self.take_field(key)
        return Reading({} if found is None else found, self.path(key), self.notes)

    def schema(self, *keys: str) -> dict[str, Any]:
        """The first of these fields that says something, as a JSON schema; an empty one where none does."""
        found: object = next((value for key in keys if (value := self.take_field(key))), {})
        if not isinstance(found, dict):
            raise FormatError(f"{self.path(keys[-1])} is {_json_kind(found)}; expected a JSON schema")
        return found

    def content(self, key: str, part: Callable[[Reading], Content], between: str = "\n") -> Content:
        """The text and the pictures of a field: a text itself, or a list of parts, each read by `part`."""
        content = self.take_field(key)
        if content is None or isinstance(content, str):
            return content or "", ()
        texts: list[str] = []
        images: list[Image] = []
        for found in self.object_readings(key):
            with found:
                text, pictures = part(found)
                texts += [text] if text else []
                images += pictures
        return between.join(texts), tuple(images)

    def note_unknown(self, kind: str) -> None:
        """Note an object that cannot be said at all, by its type, instead of its fields."""
        self._taken.update(self._found)
        self.note(f"{self._where} of type {printable_line(kind, _MOST_NAME)}")


def dialect_parser(read: Callable[[Reading], ParsedRequest]) -> Callable[[Object], ParsedRequest]:
    """A dialect's `parse` of what reads the body's fields: fields that it does not take are named."""

    def parse(body: Object) -> ParsedRequest:
        notes: set[str] = set()
        with Reading(body, "", notes) as top:
            asked = read(top)
        return replace(asked, unexpressed=tuple(sorted(notes)))

    return parse


def data_image(media_type: object, data: object) -> Image | None:
    """The picture that base64 holds; None where it holds no picture."""
    if not isinstance(data, str) or not isinstance(media_type, str) or not media_type.startswith("image/"):
        return None
    try:
        return Image(base64.b64decode(data, validate=True), printable_line(media_type, _MOST_NAME))
    except (binascii.Error, ValueError):
        return None


def data_url_image(url: object) -> Image | None:
    """A picture of a `data:` address; None where it is another one."""
    if not isinstance(url, str) or not url.startswith("data:"):
        return None
    head, _, data = url.removeprefix("data:").partition(",")
    return data_image(head.removesuffix(";base64"), data) if head.endswith(";base64") else None


def _json_kind(found: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(found), "a number")
