"""The tools that come with honestly, by name: made afresh for one trial, since most of them keep something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from honestly.errors import ToolError
from honestly.tools._api import Tool
from honestly.tools._ask import Ask, User
from honestly.tools._bash import Bash
from honestly.tools._browser import BrowserTool
from honestly.tools._edit import EditTool
from honestly.tools._http import Api, Http
from honestly.tools._hybrid import ApiDocumentation
from honestly.tools._python import PythonTool
from honestly.tools._search import Engine, Search
from honestly.tools._search_web import engine_of_environment

__all__ = ["TOOL_NAMES", "Surroundings", "default_tools"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What some tools need beside the sandbox."""

    user: User | None = None
    """Who is asked by `ask`."""
    engine: Engine | None = None
    """Who searches for `search`; None: whom this machine's variables name."""
    apis: tuple[Api, ...] = ()
    """What `http` may call."""


_MAKERS: Mapping[str, Callable[[Surroundings], Tool]] = {
    "api_documentation": lambda around: ApiDocumentation(around.apis),
    "ask": lambda around: Ask(_user(around)),
    "bash": lambda _: Bash(),
    "browser": lambda _: BrowserTool(),
    "edit": lambda _: EditTool(),
    "http": lambda around: Http(around.apis),
    "python": lambda _: PythonTool(),
    "search": lambda around: Search(around.engine or engine_of_environment()),
}

TOOL_NAMES = tuple(_MAKERS)
"""The names that `default_tools` knows."""

_ALONE = Surroundings()


def default_tools(names: Iterable[str], around: Surroundings = _ALONE) -> list[Tool]:
    """Fresh tools for one trial, in the order of their names; close each of them after it.

    Raises:
        ToolError: There is no tool of a name, or it lacks something.
    """
    wanted = list(names)
    if unknown := sorted(set(wanted) - set(_MAKERS)):
        raise ToolError(f"there is no tool {unknown[0]!r}; there are: {', '.join(TOOL_NAMES)}")
    return [_MAKERS[name](around) for name in wanted]


def _user(around: Surroundings) -> User:
    if around.user is None:
        raise ToolError("the tool `ask` needs somebody to ask: pass a user")
    return around.user
