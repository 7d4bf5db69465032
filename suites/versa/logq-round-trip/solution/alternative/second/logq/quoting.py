"""Texts in quotes, as lines of logs and queries have them."""

from __future__ import annotations

QUOTED = r'"(?:[^"\\]|\\[nt"\\])*"'
"""A regular expression for a text in quotes; it does not match one with a backslash before anything unknown."""

_SIMPLE = (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'))
"""All escapes but that of the backslash itself."""

_WRITTEN = str.maketrans({"\\": "\\\\"} | {char: escape for escape, char in _SIMPLE})


def plain(text: str) -> str:
    """What a word of a line or a query stands for: a text in quotes, as `QUOTED` matches it, or itself."""
    if text[:1] != '"':
        return text
    # Between two backslashes that stand for one, every backslash begins another escape.
    pieces = text[1:-1].split("\\\\")
    for escape, char in _SIMPLE:
        pieces = [piece.replace(escape, char) for piece in pieces]
    return "\\".join(pieces)


def quote(text: str) -> str:
    """A text as a line has it: in quotes where it would be read as something else without."""
    if text and not any(char in '"\\=' or char.isspace() for char in text):
        return text
    return f'"{text.translate(_WRITTEN)}"'
