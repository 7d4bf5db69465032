"""Settings as they were typed, read as the types that they have.

The types are those of msgspec: numbers with bounds, literals, texts. A number is read as Python reads it. Other types
are read by a function that the caller gives (a nested agent, a file).
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from honestly.errors import HonestlyError
from honestly.seams._spec import did_you_mean

_FINITE = 1e300
UnitShare = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A number from 0 to 1."""
NotNegative = Annotated[float, msgspec.Meta(ge=0, lt=_FINITE)]
Positive = Annotated[float, msgspec.Meta(gt=0, lt=_FINITE)]

Readers = Mapping[type, Callable[[str], object]]
"""How texts become values of types that msgspec does not know."""


def read_settings(
    given: Mapping[str, str], types: Mapping[str, Any], who: str, readers: Readers | None = None
) -> dict[str, Any]:
    """The values of settings.

    Args:
        given: Their texts, by name.
        types: What there are, and of which type each of them is.
        who: Whose settings they are, for messages.
        readers: How types are read that msgspec does not know; `Path` is known.

    Raises:
        HonestlyError: A setting is unknown, or its value makes no sense.
    """
    found: dict[str, Any] = {}
    for key, text in given.items():
        if key not in types:
            there = f"it has: {', '.join(types)}" if types else "it has none"
            raise HonestlyError(f"{who} has no setting {key!r}{did_you_mean(key, types)}; {there}")
        found[key] = _value(f"setting {key!r} of {who}", text, types[key], {Path: _path, **(readers or {})})
    return found


def _value(what: str, text: str, kind: Any, readers: Readers) -> object:  # noqa: ANN401 - any type
    if kind in readers:
        return readers[kind](text)
    trouble: Exception | None = None
    for value in (text, *_numbers(text)):
        try:
            return msgspec.convert(value, kind, strict=False, dec_hook=lambda kind, value: readers[kind](value))
        except msgspec.ValidationError as error:
            trouble = trouble or error
        except (KeyError, TypeError) as error:
            raise HonestlyError(f"{what} is of a type that no text can say: {error}") from error
    allowed = f"; expected one of {', '.join(map(str, get_args(kind)))}" if get_origin(kind) is Literal else ""
    raise HonestlyError(f"{what} is {text!r}: {trouble}{allowed}") from trouble


def _numbers(text: str) -> Iterator[int | float]:
    """The number that Python reads in a text, which may be one that JSON has not: `.5`, `+1`."""
    for kind in (int, float):
        try:
            yield kind(text)
        except ValueError:
            continue


def _path(text: str) -> Path:
    return Path(text).expanduser()
