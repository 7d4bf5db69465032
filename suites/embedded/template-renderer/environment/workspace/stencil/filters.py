"""Filters that every template can use.

A filter is called with the value and, where the template gives one, with its argument as a second string.
"""

from __future__ import annotations

from collections.abc import Callable


def text_of(value: object) -> str:
    """A value as it stands in the output: nothing for None."""
    return "" if value is None else str(value)


def _join(value: object, separator: str = "") -> str:
    return separator.join(text_of(item) for item in value) if isinstance(value, list | tuple) else text_of(value)


def _default(value: object, instead: str = "") -> object:
    return instead if value is None or value == "" else value


BUILTIN: dict[str, Callable[..., object]] = {
    "upper": lambda value: text_of(value).upper(),
    "trim": lambda value: text_of(value).strip(),
    "count": lambda value: len(value) if isinstance(value, list | tuple | dict) else 0,
    "join": _join,
    "default": _default,
}
