"""Texts in quotes, as lines of logs and queries have them."""

from __future__ import annotations

import re

QUOTED = r'"(?:[^"\\]|\\.)*"'
"""A regular expression for a text in quotes."""

_LETTERS = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
_ESCAPES = {char: f"\\{letter}" for letter, char in _LETTERS.items()}


def unquote(text: str) -> str:
    """What a text in quotes stands for. ValueError if a backslash is followed by something unknown."""

    text = text[1:-1]
    for escape, char in (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'), ("\\\\", "\\")):
        text = text.replace(escape, char)
    return text


def quote(text: str) -> str:
    """A text as a line has it: in quotes where it would be read as something else without."""
    if text and not re.search(r'[\s"\\=]', text):
        return text
    return '"' + "".join(_ESCAPES.get(char, char) for char in text) + '"'
