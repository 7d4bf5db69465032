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

_line = 0
_output: list[str] = []
_scopes: list[dict[str, object]] = []
_blocks: list[list] = []


class TemplateError(ValueError):
    """Raised for a template that cannot be understood or filled; starts with the number of the line."""


def _fail(message: str) -> None:
    raise TemplateError(f"line {_line}: {message}")


def _find(path: str) -> object:
    if not _PATH.fullmatch(path):
        _fail(f"not a path: {path!r}")
    first, *rest = path.split(".")
    value: object = None
    for scope in _scopes:
        value = scope.get(first, value)
    for key in rest:
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, list | tuple) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            value = None
    return value


def render(
    template: str, values: Mapping[str, object], filters: Mapping[str, Callable[..., object]] | None = None
) -> str:
    """The template filled with values.

    Raises:
        TemplateError: as described above.
    """
    global _line, _output, _scopes, _blocks
    tokens = []
    position = 0
    while position < len(template):
        start = min(
            (s for s in (template.find(o, position) for o in ("{{", "{%", "{#")) if s >= 0), default=len(template)
        )
        tokens.append(["text", template[position:start], 0, None, None])
        if start == len(template):
            break
        closing = {"{{": "}}", "{%": "%}", "{#": "#}"}[template[start : start + 2]]
        end = template.find(closing, start + 2)
        _line = template.count("\n", 0, start) + 1
        if end < 0:
            _fail(f"{template[start : start + 2]!r} is not closed")
        tokens.append([closing, template[start + 2 : end].strip(), _line, None, None])
        position = end + 2
        before = template[:start].rstrip(" \t")
        after = template[position:].lstrip(" \t")
        if closing != "}}" and before[-1:] in {"", "\n"} and after[:1] in {"", "\n"}:
            tokens[-2][1] = tokens[-2][1].rstrip(" \t")
            position = len(template) - len(after) + 1
    _scopes, _blocks = [], []
    for index, (kind, content, _line, _, _) in enumerate(tokens):
        words = content.split() if kind == "%}" else []
        if kind == "}}":
            path = content.partition("|")[0]
            _find(path.strip())
            if _FILTER.sub("", content[len(path) :]).strip():
                _fail(f"not a filter: {content[len(path) :].strip()!r}")
        elif words[:1] == ["if"] and (len(words) == 2 or (len(words) == 3 and words[1] == "not")):
            _find(words[-1])
            _blocks.append([index, None, _line])
        elif words[:1] == ["for"] and len(words) == 4 and words[2] == "in" and "." not in words[1]:
            _find(words[1])
            _find(words[3])
            _blocks.append([index, None, _line])
        elif words == ["else"]:
            if not _blocks or _blocks[-1][1] is not None or tokens[_blocks[-1][0]][1].split()[0] == "for":
                _fail("else does not belong to an if")
            _blocks[-1][1] = index
        elif words == ["end"]:
            if not _blocks:
                _fail("end does not belong to a block")
            opened, other, _ = _blocks.pop()
            tokens[opened][3:] = [other, index]
            if other is not None:
                tokens[other][4] = index
        elif kind == "%}":
            _fail(f"unknown tag {content!r}")
    if _blocks:
        _line = _blocks[-1][2]
        _fail("the block is not ended")
    _output, _scopes = [], [dict(values)]
    index = 0
    while index < len(tokens):
        kind, content, _line, other, end = tokens[index]
        index += 1
        words = content.split() if kind == "%}" else [""]
        if kind == "text":
            _output.append(content)
        elif kind == "}}":
            path = content.partition("|")[0]
            value = _find(path.strip())
            for match in _FILTER.finditer(content[len(path) :]):
                known = (filters or {}).get(match[1]) or BUILTIN.get(match[1])
                if known is None:
                    _fail(f"unknown filter {match[1]!r}")
                value = known(value) if match[2] is None else known(value, match[2])
            _output.append(text_of(value))
        elif words[0] == "if":
            if bool(_find(words[-1])) != (len(words) == 2):
                index = (end if other is None else other) + 1
        elif words[0] == "for":
            items = _find(words[3])
            if items is not None and not isinstance(items, list | tuple | Mapping):
                _fail(f"cannot loop over {words[3]!r}")
            _blocks.append([index, words[1], list(items or ()), 0, end])
            index = end
        elif words[0] == "else":
            index = end + 1
        elif words[0] == "end" and _blocks and _blocks[-1][4] == index - 1:
            first, name, items, count, _ = _blocks[-1]
            if count:
                _scopes.pop()
            if count < len(items):
                _scopes.append({name: items[count], "loop": count + 1})
                _blocks[-1][3] += 1
                index = first
            else:
                _blocks.pop()
    return "".join(_output)
