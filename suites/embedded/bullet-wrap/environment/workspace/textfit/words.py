"""Filling lines with words."""

from collections.abc import Iterable


def wrap_words(words: Iterable[str], width: int) -> list[str]:
    """Lines of at most `width` characters, each filled with as many words as fit.

    A word that is longer than `width` is not cut; it gets a line to itself. ValueError if `width` is less than 1.
    """
    if width < 1:
        raise ValueError(f"the width must be at least 1, not {width}")
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
