"""Texts in quotes, as lines of logs and queries have them."""

from __future__ import annotations

import re

QUOTED = r'"(?:[^"\\]|\\.)*"'
"""A regular expression for a text in quotes."""

_LETTERS = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
_ESCAPES = {char: f"\\{letter}" for letter, char in _LETTERS.items()}


def unquote(text: str) -> str:
    """What a text in quotes stands for. ValueError if a backslash is followed by something unknown."""

    def char(found: re.Match[str]) -> str:
        if found[1] not in _LETTERS:
            raise ValueError(f"unknown escape: {found[0]}")
        return _LETTERS[found[1]]

    return re.sub(r"\\(.)", char, text[1:-1])


def quote(text: str) -> str:
    """A text as a line has it: in quotes where it would be read as something else without."""
    if text and not re.search(r'[\s"\\=]', text):
        return text
    return '"' + "".join(_ESCAPES.get(char, char) for char in text) + '"'
