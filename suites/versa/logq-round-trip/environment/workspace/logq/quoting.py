"""Texts in quotes, as lines of logs have them."""

from __future__ import annotations


def quote(text: str) -> str:
    """A text as a line has it: in quotes where it would be read as something else without."""
    if text and not any(char.isspace() for char in text):
        return text
    return '"' + text.replace('"', '\\"') + '"'
