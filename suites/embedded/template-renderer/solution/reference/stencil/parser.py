"""Makes nodes of tokens.

Blocks are parsed by descent: a block reads nodes until the tag that ends it, and blocks inside it read theirs.
"""

from __future__ import annotations

import re

from stencil.errors import TemplateError
from stencil.lexer import Token, tokens
from stencil.nodes import For, If, Node, Text, Value
from stencil.paths import parse_path

_FILTER = re.compile(r'\s*\|\s*([A-Za-z_]\w*)(?::"([^"]*)")?', re.ASCII)


def parse(template: str) -> list[Node]:
    """The nodes of a template.

    Raises:
        TemplateError: the template has a mistake of syntax.
    """
    return _Parser(template).template()


class _Parser:
    """Tokens and how far they have been read."""

    def __init__(self, template: str) -> None:
        self._tokens = list(tokens(template))
        self._next = 0

    def template(self) -> list[Node]:
        nodes, last = self._until_end_or_else()
        if last is not None:
            problem = "else does not belong to an if" if last.content == "else" else "end does not belong to a block"
            raise TemplateError(last.line, problem)
        return nodes

    def _until_end_or_else(self) -> tuple[list[Node], Token | None]:
        """Nodes up to the next `else` or `end` of this level, and that tag; None at the end of the template."""
        nodes: list[Node] = []
        while self._next < len(self._tokens):
            token = self._tokens[self._next]
            self._next += 1
            if token.kind == "{%" and token.content in {"else", "end"}:
                return nodes, token
            nodes.append(self._node(token))
        return nodes, None

    def _node(self, token: Token) -> Node:
        if token.kind == "text":
            return Text(token.content)
        if token.kind == "{{":
            return _value(token)
        match token.content.split():
            case ["if", path]:
                return self._if(token, path, wanted=True)
            case ["if", "not", path]:
                return self._if(token, path, wanted=False)
            case ["for", name, "in", path] if "." not in name:
                return self._for(token, name, path)
        raise TemplateError(token.line, f"unknown tag {token.content!r}")

    def _if(self, token: Token, path: str, *, wanted: bool) -> If:
        steps = parse_path(path, token.line)
        body, last = self._until_end_or_else()
        otherwise: list[Node] = []
        if last is not None and last.content == "else":
            otherwise, last = self._until_end_or_else()
        _demand_end(token, last)
        return If(steps, wanted, body, otherwise)

    def _for(self, token: Token, name: str, path: str) -> For:
        parse_path(name, token.line)
        steps = parse_path(path, token.line)
        body, last = self._until_end_or_else()
        _demand_end(token, last)
        return For(name, steps, body, token.line)


def _demand_end(opened: Token, last: Token | None) -> None:
    if last is None:
        raise TemplateError(opened.line, "the block is not ended")
    if last.content == "else":
        raise TemplateError(last.line, "else does not belong to an if")


def _value(token: Token) -> Value:
    path = token.content.partition("|")[0]
    rest = token.content[len(path) :]
    steps = parse_path(path.strip(), token.line)
    if _FILTER.sub("", rest).strip():
        raise TemplateError(token.line, f"not a filter: {rest.strip()!r}")
    return Value(steps, [(match[1], match[2]) for match in _FILTER.finditer(rest)], token.line)
