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

from collections import ChainMap
from collections.abc import Callable, Mapping

from stencil.errors import TemplateError
from stencil.filters import BUILTIN
from stencil.nodes import Scope, render_all
from stencil.parser import parse

__all__ = ["Template", "TemplateError", "compile_template", "render"]

Filters = Mapping[str, Callable[..., object]]


class Template:
    """A template that has been understood and can be filled any number of times."""

    def __init__(self, template: str) -> None:
        self._nodes = parse(template)

    def render(self, values: Mapping[str, object], filters: Filters | None = None) -> str:
        """The template filled with values.

        Raises:
            TemplateError: a filter is unknown, or a value cannot be looped over.
        """
        scope = Scope(ChainMap(dict(values)), {**BUILTIN, **(filters or {})})
        return "".join(render_all(self._nodes, scope))


def compile_template(template: str) -> Template:
    """Understands a template.

    Raises:
        TemplateError: it has a mistake of syntax.
    """
    return Template(template)


def render(template: str, values: Mapping[str, object], filters: Filters | None = None) -> str:
    """The template filled with values.

    Raises:
        TemplateError: as described above.
    """
    return compile_template(template).render(values, filters)
