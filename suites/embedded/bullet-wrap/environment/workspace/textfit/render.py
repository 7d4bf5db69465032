"""Laying out whole texts."""

from collections.abc import Iterator

from textfit.words import wrap_words


def render(text: str, width: int) -> str:
    """The text in lines of at most `width` characters.

    Blocks are separated by one or more blank lines in the text, and by exactly one in the result. Each block is a
    paragraph: its words are joined by single spaces and wrapped. ValueError if `width` is less than 1.
    """
    rendered = ["\n".join(wrap_words(" ".join(block).split(), width)) for block in blocks(text)]
    return "\n\n".join(rendered)


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
