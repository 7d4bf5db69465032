"""The words, strings and signs of a selector."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

KEYWORDS = ("and", "or", "not", "in")

_TOKEN = re.compile(
    r"""(?P<word>[A-Za-z0-9_./-]+)
    | (?P<string>"(?:[^"\\]|\\.)*(?P<close>")?)
    | (?P<sign><=|>=|!=|[=<>(),])
    | (?P<space>[ \t\r\n]+)
    | (?P<illegal>.)""",
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"[A-Za-z0-9_./-]+")


@dataclass(frozen=True)
class Token:
    """A piece of the text."""

    kind: str
    """`word`, `string`, `illegal`, `end`; of a keyword or a sign the text itself."""
    value: str
    position: int
    flaw: int | None = None
    """Where something is wrong inside of a string."""


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text; mistakes are tokens, too, so that the parser can tell which mistake is the first."""
    for match in _TOKEN.finditer(text):
        kind, value, position = match.lastgroup, match[0], match.start()
        if kind == "word":
            yield Token(value if value in KEYWORDS else "word", value, position)
        elif match["string"] is not None:
            yield _string(value, position, closed=match["close"] is not None)
        elif kind == "sign":
            yield Token(value, value, position)
        elif kind == "illegal":
            yield Token("illegal", value, position)
    yield Token("end", "", len(text))


def quoted(value: str) -> str:
    """A value as it is written in a selector."""
    if _WORD.fullmatch(value) and value not in KEYWORDS:
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _string(raw: str, position: int, closed: bool) -> Token:
    if not closed:
        return Token("string", raw, position, flaw=position)
    for escape in re.finditer(r"\\(.)", raw, re.DOTALL):
        if escape[1] not in '"\\':
            return Token("string", raw, position, flaw=position + escape.start())
    return Token("string", re.sub(r"\\(.)", r"\1", raw[1:-1]), position)
