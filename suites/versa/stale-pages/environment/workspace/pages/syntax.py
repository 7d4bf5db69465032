"""How pages are written.

    title: Our team
    draft: yes

    We are {{team}}, and {{nobody}}.

A head of lines `key: value`, an empty line, and the body. `{{name}}` includes the part of this name, which may include others.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

_INCLUDE = re.compile(r"\{\{([a-z0-9]+)\}\}")


class Page(NamedTuple):
    """What a page's text says."""

    title: str
    draft: bool
    body: str


def parse(path: str, text: str) -> Page:
    """Reads a page; one without title has its path for it."""
    head, _, body = text.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.split("\n") if ": " in line)
    return Page(fields.get("title", path), fields.get("draft") == "yes", body)


def includes(text: str) -> list[str]:
    """Paths of the parts that a text includes itself, in the order in which they stand there."""
    return [f"parts/{name}" for name in _INCLUDE.findall(text)]


def replace_includes(text: str, replace: Callable[[str], str]) -> str:
    """The text with each include replaced by what a function makes of the part's path."""
    return _INCLUDE.sub(lambda found: replace(f"parts/{found[1]}"), text)
