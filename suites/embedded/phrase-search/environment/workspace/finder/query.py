"""What a query asks for.

A query is a list of terms between spaces, all of which must occur:

- `printer`: the word;
- `"paper jam"`: the words next to each other, in this order;
- `print*`: any word that starts so (not inside quotes);
- `-fax`, `-"paper jam"`, `-print*`: the term must not occur.

Words are runs of letters and digits in lower case; everything else separates them, as in documents. A term without
quotes that holds several words, like `on-line`, is a phrase of these words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_TERM = re.compile(r'(?P<minus>-?)(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]+))(?=\s|$)')


class QueryError(ValueError):
    """Raised for a query that asks for nothing, or whose quotes are wrong."""


@dataclass(frozen=True)
class Term:
    """Words that must occur next to each other; with `prefix`, the one word stands for all that start with it."""

    words: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True)
class Query:
    """Terms that must occur, and terms that must not."""

    wanted: tuple[Term, ...]
    unwanted: tuple[Term, ...]


def words_of(text: str) -> list[str]:
    """The words of a text, in order and in lower case."""
    return _WORD.findall(text.lower())


def parse(text: str) -> Query:
    """Understands a query.

    Raises:
        QueryError: a quote is not closed or stands inside a word, or nothing is wanted.
    """
    wanted: list[Term] = []
    unwanted: list[Term] = []
    rest = text.strip()
    while rest:
        match = _TERM.match(rest)
        if match is None:
            raise QueryError(f"cannot understand {rest!r}")
        term = _term(match["quoted"], match["bare"])
        if term is not None:
            (unwanted if match["minus"] else wanted).append(term)
        rest = rest[match.end() :].lstrip()
    if not wanted:
        raise QueryError(f"nothing to look for in {text!r}")
    return Query(tuple(wanted), tuple(unwanted))


def _term(quoted: str | None, bare: str | None) -> Term | None:
    words = tuple(words_of(bare if quoted is None else quoted))
    if not words:
        return None
    return Term(words, prefix=quoted is None and len(words) == 1 and str(bare).endswith("*"))
