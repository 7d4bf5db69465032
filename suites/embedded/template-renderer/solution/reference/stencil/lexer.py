"""Cuts a template into text and tags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stencil.errors import TemplateError

_BLANKS = " \t"
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}"}


@dataclass(frozen=True)
class Token:
    """A piece of text (kind "text") or what stands inside a tag (kind "{{" or "{%"), with the line of its start."""

    kind: str
    content: str
    line: int


def tokens(template: str) -> Iterator[Token]:
    """The tokens of a template, without comments and without the rest of the lines that a tag has for itself.

    Raises:
        TemplateError: a tag is not closed.
    """
    position = 0
    while (start := _next_tag(template, position)) < len(template):
        kind, line = template[start : start + 2], template.count("\n", 0, start) + 1
        end = template.find(_CLOSING[kind], start + 2)
        if end < 0:
            raise TemplateError(line, f"{kind!r} is not closed")
        text, after = template[position:start], end + 2
        if kind != "{{" and _alone(template, start, after):
            text = text.rstrip(_BLANKS)
            after = template.find("\n", after) + 1 or len(template)
        yield Token("text", text, line)
        if kind != "{#":
            yield Token(kind, template[start + 2 : end].strip(), line)
        position = after
    yield Token("text", template[position:], 0)


def _next_tag(template: str, position: int) -> int:
    """Where the next tag starts; the end of the template if there is none."""
    starts = [template.find(opening, position) for opening in _CLOSING]
    return min((start for start in starts if start >= 0), default=len(template))


def _alone(template: str, start: int, end: int) -> bool:
    """Whether nothing but blanks stands before and after a tag on its lines."""
    before = template[template.rfind("\n", 0, start) + 1 : start]
    after = template[end:].partition("\n")[0]
    return not before.strip(_BLANKS) and not after.strip(_BLANKS)
