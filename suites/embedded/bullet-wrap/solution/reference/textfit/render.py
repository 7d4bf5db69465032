"""Laying out whole texts."""

import re
from collections.abc import Iterator

from textfit.words import wrap_words

_ITEM = re.compile(r"( *(?:[-*]|[0-9]+\.))(?: |$)")


def render(text: str, width: int) -> str:
    """The text in lines of at most `width` characters.

    Blocks are separated by one or more blank lines in the text, and by exactly one in the result. A block is a
    paragraph, items, or a paragraph and the items that follow it; each of these has its words joined by single
    spaces and wrapped, items with a hanging indent. ValueError if `width` is less than 1.
    """
    rendered = ["\n".join(_lines(block, width)) for block in blocks(text)]
    return "\n\n".join(rendered)


def _lines(block: list[str], width: int) -> Iterator[str]:
    """The printed lines of one block."""
    for prefix, words in _pieces(block):
        if not prefix:
            yield from wrap_words(words, width)
            continue
        indent = " " * (len(prefix) + 1)
        # Where nothing fits, every word gets a line; a width that is no width at all is refused below.
        room = max(width - len(indent), min(width, 1))
        first, *others = wrap_words(words, room) or [""]
        yield f"{prefix} {first}".rstrip(" ")
        yield from (indent + line for line in others)


def _pieces(block: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The paragraph and the items of a block: what stands before the text (nothing in a paragraph), and the words."""
    prefix, words = "", list[str]()
    for line in block:
        item = _ITEM.match(line)
        if item is not None:
            if prefix or words:
                yield prefix, words
            prefix, words = item[1], []
            line = line[item.end() :]
        words.extend(line.split())
    yield prefix, words


def blocks(text: str) -> Iterator[list[str]]:
    """The blocks of a text, each as its lines."""
    block: list[str] = []
    for line in text.splitlines():
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block
