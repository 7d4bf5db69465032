"""Fills templates with values.

- `{{ user.name }}` is replaced by a value. A path starts with a name and goes on with keys of dicts and numbers of list
  items; wherever it leads nowhere, the value is None, which gives no text.
- `{{ tags | join:", " | upper }}` sends it through filters: those of the caller, else those of `stencil.filters`. The
  argument in double quotes is optional and is text; it may hold `|` but neither quotes nor closing braces.
- `{% if path %}...{% else %}...{% end %}`, and `{% if not path %}`: whether the value is true, as Python sees it. The
  `else` part may be missing.
- `{% for item in path %}...{% end %}`: once for each item of a list or tuple, or each key of a dict; never for None.
  Within the loop `item` and `loop`, the count from 1, hide other values of these names.
- `{# note #}` gives nothing. Tags may span lines.

A `{%` or `{#` tag that has its lines for itself, apart from blanks and tabs, takes them away whole, line end included.

Errors are TemplateErrors that start with the line of the tag, as in "line 3: unknown filter 'x'". Mistakes of syntax
are reported before anything is rendered, also in parts that would not be reached (of several, any one). Unknown
filters, and loops over other values than the above, are reported when they are reached. What a filter raises is passed
on as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from stencil.filters import BUILTIN, text_of

_PATH = re.compile(r"[A-Za-z_]\w*(\.\w+)*", re.ASCII)
_FILTER = re.compile(r'\s*\|\s*([A-Za-z_]\w*)(?::"([^"]*)")?', re.ASCII)


class TemplateError(ValueError):
    """Raised for a template that cannot be understood or filled; starts with the number of the line."""


class _Engine:
    """One run over a template; compiled templates make a new one for each rendering."""

    def __init__(self, template: str) -> None:
        self._template = template
        self._line = 0
        self._output: list[str] = []
        self._scopes: list[dict[str, object]] = []
        self._blocks: list[list] = []

    def check(self) -> None:
        """Raises the mistakes of syntax."""
        self._check(self._tokens())

    def _fail(self, message: str) -> None:
        raise TemplateError(f"line {self._line}: {message}")

    def _find(self, path: str) -> object:
        if not _PATH.fullmatch(path):
            self._fail(f"not a path: {path!r}")
        first, *rest = path.split(".")
        value: object = None
        for scope in self._scopes:
            value = scope.get(first, value)
        for key in rest:
            if isinstance(value, Mapping):
                value = value.get(key)
            elif isinstance(value, list | tuple) and key.isdigit() and int(key) < len(value):
                value = value[int(key)]
            else:
                value = None
        return value

    def _tokens(self) -> list[list]:
        tokens = []
        position = 0
        while position < len(self._template):
            start = min(
                (s for s in (self._template.find(o, position) for o in ("{{", "{%", "{#")) if s >= 0),
                default=len(self._template),
            )
            tokens.append(["text", self._template[position:start], 0, None, None])
            if start == len(self._template):
                break
            closing = {"{{": "}}", "{%": "%}", "{#": "#}"}[self._template[start : start + 2]]
            end = self._template.find(closing, start + 2)
            self._line = self._template.count("\n", 0, start) + 1
            if end < 0:
                self._fail(f"{self._template[start : start + 2]!r} is not closed")
            tokens.append([closing, self._template[start + 2 : end].strip(), self._line, None, None])
            position = end + 2
            before = self._template[:start].rstrip(" \t")
            after = self._template[position:].lstrip(" \t")
            if closing != "}}" and before[-1:] in {"", "\n"} and after[:1] in {"", "\n"}:
                tokens[-2][1] = tokens[-2][1].rstrip(" \t")
                position = len(self._template) - len(after) + 1
        return tokens

    def _check(self, tokens: list[list]) -> None:
        self._scopes, self._blocks = [], []
        for index, (kind, content, line, _, _) in enumerate(tokens):
            self._line = line
            words = content.split() if kind == "%}" else []
            if kind == "}}":
                path = content.partition("|")[0]
                self._find(path.strip())
                if _FILTER.sub("", content[len(path) :]).strip():
                    self._fail(f"not a filter: {content[len(path) :].strip()!r}")
            elif words[:1] == ["if"] and (len(words) == 2 or (len(words) == 3 and words[1] == "not")):
                self._find(words[-1])
                self._blocks.append([index, None, self._line])
            elif words[:1] == ["for"] and len(words) == 4 and words[2] == "in" and "." not in words[1]:
                self._find(words[1])
                self._find(words[3])
                self._blocks.append([index, None, self._line])
            elif words == ["else"]:
                if (
                    not self._blocks
                    or self._blocks[-1][1] is not None
                    or tokens[self._blocks[-1][0]][1].split()[0] == "for"
                ):
                    self._fail("else does not belong to an if")
                self._blocks[-1][1] = index
            elif words == ["end"]:
                if not self._blocks:
                    self._fail("end does not belong to a block")
                opened, other, _ = self._blocks.pop()
                tokens[opened][3:] = [other, index]
                if other is not None:
                    tokens[other][4] = index
            elif kind == "%}":
                self._fail(f"unknown tag {content!r}")
        if self._blocks:
            self._line = self._blocks[-1][2]
            self._fail("the block is not ended")

    def render(self, values: Mapping[str, object], filters: Mapping[str, Callable[..., object]] | None = None) -> str:
        """The template filled with values.

        Raises:
            TemplateError: as described above.
        """
        tokens = self._tokens()
        self._check(tokens)
        self._output, self._scopes = [], [dict(values)]
        index = 0
        while index < len(tokens):
            kind, content, self._line, other, end = tokens[index]
            index += 1
            words = content.split() if kind == "%}" else [""]
            if kind == "text":
                self._output.append(content)
            elif kind == "}}":
                path = content.partition("|")[0]
                value = self._find(path.strip())
                for match in _FILTER.finditer(content[len(path) :]):
                    known = (filters or {}).get(match[1]) or BUILTIN.get(match[1])
                    if known is None:
                        self._fail(f"unknown filter {match[1]!r}")
                    value = known(value) if match[2] is None else known(value, match[2])
                self._output.append(text_of(value))
            elif words[0] == "if":
                if bool(self._find(words[-1])) != (len(words) == 2):
                    index = (end if other is None else other) + 1
            elif words[0] == "for":
                items = self._find(words[3])
                if items is not None and not isinstance(items, list | tuple | Mapping):
                    self._fail(f"cannot loop over {words[3]!r}")
                self._blocks.append([index, words[1], list(items or ()), 0, end])
                index = end
            elif words[0] == "else":
                index = end + 1
            elif words[0] == "end" and self._blocks and self._blocks[-1][4] == index - 1:
                first, name, items, count, _ = self._blocks[-1]
                if count:
                    self._scopes.pop()
                if count < len(items):
                    self._scopes.append({name: items[count], "loop": count + 1})
                    self._blocks[-1][3] += 1
                    index = first
                else:
                    self._blocks.pop()
        return "".join(self._output)


class Template:
    """A template that can be filled any number of times."""

    def __init__(self, template: str) -> None:
        _Engine(template).check()
        self._template = template

    def render(self, values: Mapping[str, object], filters: Mapping[str, Callable[..., object]] | None = None) -> str:
        """The template filled with values."""
        return _Engine(self._template).render(values, filters)


def compile_template(template: str) -> Template:
    """Understands a template.

    Raises:
        TemplateError: it has a mistake of syntax.
    """
    return Template(template)


def render(
    template: str, values: Mapping[str, object], filters: Mapping[str, Callable[..., object]] | None = None
) -> str:
    """The template filled with values.

    Raises:
        TemplateError: as described above.
    """
    return compile_template(template).render(values, filters)
