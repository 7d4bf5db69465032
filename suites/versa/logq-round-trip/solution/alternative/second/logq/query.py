"""Reads queries: a filter, and stages behind bars."""

from __future__ import annotations

import re

from logq.quoting import QUOTED, plain
from logq.tree import And, Compare, Has, Node, Not, Or

_TOKEN = re.compile(rf'\s*({QUOTED}|!=|<=|>=|[=<>~()|,]|[^\s"=<>~!()|,]+)')
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "~")

Stage = tuple[str, ...]
"""Words of a stage; its name comes first."""


class BadQuery(ValueError):
    """Raised for a query that cannot be read."""


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        place = 0
        while place < len(text.rstrip()):
            found = _TOKEN.match(text, place)
            if found is None:
                raise BadQuery(f"cannot be read: {text[place:]!r}")
            self.tokens.append(found[1])
            place = found.end()

    def peek(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self, what: str | None = None) -> str:
        if not self.tokens or what not in (None, self.tokens[0]):
            raise BadQuery(f"{what or 'something'} is missing before {self.peek() or 'the end'}")
        return self.tokens.pop(0)

    def any(self) -> Node:
        nodes = [self.every()]
        while self.peek() == "or":
            self.take()
            nodes.append(self.every())
        return nodes[0] if len(nodes) == 1 else Or(tuple(nodes))

    def every(self) -> Node:
        nodes = [self.one()]
        while self.peek() == "and":
            self.take()
            nodes.append(self.one())
        return nodes[0] if len(nodes) == 1 else And(tuple(nodes))

    def one(self) -> Node:
        word = self.take()
        if word == "not":
            return Not(self.one())
        if word == "has":
            return Has(self.take())
        if word == "(":
            node = self.any()
            self.take(")")
            return node
        op = self.take()
        if op not in _OPERATORS:
            raise BadQuery(f"not an operator: {op}")
        return Compare(word, op, self.value())

    def value(self) -> str:
        return plain(self.take())


def read(text: str) -> tuple[Node, list[Stage]]:
    """The filter and the stages of a query. A filter that is left out is true for all."""
    reader = _Reader(text)
    node = And(()) if reader.peek() in ("", "|") else reader.any()
    stages: list[Stage] = []
    while reader.tokens:
        reader.take("|")
        words = [reader.take()]
        while reader.tokens and reader.peek() != "|":
            words.append(reader.take())
        stages.append(tuple(word for word in words if word != ","))
    return node, stages
