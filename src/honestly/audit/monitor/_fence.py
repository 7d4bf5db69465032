"""Untrusted text as data: one JSON object a line, between two lines that nobody could have written before.

Whoever wrote a trajectory may have written instructions into it. So each text stands in a JSON string on a line of its
own: it cannot begin a line, close the object that holds it, or hide in characters that people do not see (those become
escapes). The block lies between lines with a nonce that is made from a secret and from the block itself: nobody can
guess it or copy it from an earlier request, and the same block has the same nonce, so that answers can be cached.

Not covered: a model that obeys what it reads as data. That is what the second view and the planted trials are for.
"""

import hashlib
import hmac
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_ODD = re.compile(r"[^\x20-\x7e]")
# Unicode's categories of what nobody sees: controls, formats, private and unassigned characters, line separators.
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
# Letters that look like blanks: fillers of Hangul, and Braille's empty pattern.
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
# Variation selectors, which can spell a hidden text.
_SELECTORS = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))


class FencedLines(NamedTuple):
    """A block of data and the word that marks its ends."""

    nonce: str
    text: str


def fenced_lines(lines: Iterable[str], secret: bytes) -> FencedLines:
    """Lines of `json_data_line` between marks made from a secret, which no author of the data knows."""
    body = "\n".join(lines)
    digest = hmac.new(secret, body.encode("utf-8", "surrogatepass"), hashlib.sha256)
    nonce = digest.hexdigest()[:32]
    # By chance alone, once in the life of the universe; cheap to rule out.
    while nonce in body:
        digest.update(b"again")
        nonce = digest.hexdigest()[:32]
    return FencedLines(nonce, f"<<<DATA {nonce}\n{body}\nDATA {nonce}>>>")


def json_data_line(fields: Mapping[str, str | int | None]) -> str:
    """One line of data: JSON in which every character can be seen."""
    return _ODD.sub(_escaped_match, json.dumps(dict(fields), ensure_ascii=False))


def visible_text(text: str) -> str:
    """`text` without the characters that people do not see; line ends and tabs stay."""
    return _ODD.sub(lambda match: match[0] if match[0] in "\n\t" or not _is_unseen(match[0]) else "", text)


def _escaped_match(match: re.Match[str]) -> str:
    char = match[0]
    if not _is_unseen(char):
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _is_unseen(char: str) -> bool:
    code = ord(char)
    return (
        unicodedata.category(char) in _UNSEEN
        or char in _FILLERS
        or any(first <= code <= last for first, last in _SELECTORS)
    )
