"""The parts of a template, each of which can render itself.

Nodes are immutable. All that changes while rendering is the scope that is handed down, so that a template can be
rendered by several callers at once.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from stencil.errors import TemplateError
from stencil.filters import text_of
from stencil.paths import find


@dataclass(frozen=True)
class Scope:
    """What names mean at one place of a template."""

    values: ChainMap[str, object]
    filters: Mapping[str, Callable[..., object]]

    def inside(self, names: dict[str, object]) -> Scope:
        """The scope of a block that gives names a meaning of its own."""
        self.values.update(names)
        return self


class Node(Protocol):
    """A part of a template."""

    def render(self, scope: Scope) -> Iterator[str]:
        """The pieces of output."""


@dataclass(frozen=True)
class Text:
    """Text that stands for itself."""

    text: str

    def render(self, _scope: Scope) -> Iterator[str]:
        """The text."""
        yield self.text


@dataclass(frozen=True)
class Value:
    """A value and the filters, with their arguments if any, that it goes through."""

    path: list[str]
    filters: list[tuple[str, str | None]]
    line: int

    def render(self, scope: Scope) -> Iterator[str]:
        """The filtered value as text."""
        value = find(scope.values, self.path)
        for name, argument in self.filters:
            known = scope.filters.get(name)
            if known is None:
                raise TemplateError(self.line, f"unknown filter {name!r}")
            value = known(value) if argument is None else known(value, argument)
        yield text_of(value)


@dataclass(frozen=True)
class If:
    """A condition and what follows from it."""

    path: list[str]
    wanted: bool
    body: list[Node]
    otherwise: list[Node]

    def render(self, scope: Scope) -> Iterator[str]:
        """One of the two parts."""
        fits = bool(find(scope.values, self.path)) is self.wanted
        yield from render_all(self.body if fits else self.otherwise, scope)


@dataclass(frozen=True)
class For:
    """A part that is repeated for each item of a value."""

    name: str
    path: list[str]
    body: list[Node]
    line: int

    def render(self, scope: Scope) -> Iterator[str]:
        """The body once for each item."""
        items = find(scope.values, self.path)
        if items is not None and not isinstance(items, list | tuple | Mapping):
            raise TemplateError(self.line, f"cannot loop over {'.'.join(self.path)!r}")
        for count, item in enumerate(list(items or ()), start=1):
            yield from render_all(self.body, scope.inside({self.name: item, "loop": count}))


def render_all(nodes: list[Node], scope: Scope) -> Iterator[str]:
    """The output of several nodes, in order."""
    for node in nodes:
        yield from node.render(scope)
