"""The tools that come with honestly, by name: made afresh for one trial, since most of them keep something."""

from collections.abc import Iterable
from dataclasses import dataclass

from honestly.errors import ToolError
from honestly.models import ToolSpec
from honestly.seams import KnownName, Seam, Spec
from honestly.tools._api import Tool
from honestly.tools._ask import User
from honestly.tools._http import Api
from honestly.tools._search import Engine, engine_of_environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What some tools need besides the sandbox: a user, a search engine, interfaces."""

    user: User | None = None
    """Who is asked by `ask`."""
    engine: Engine | None = None
    """Who searches for `search`; None: whom this machine's variables name."""
    apis: tuple[Api, ...] = ()
    """What `http` may call."""


_TOOLS = "honestly.tools"

TOOLS = Seam(
    kind="tool",
    group="honestly.tools",
    protocol="honestly.tools.Tool",
    error=ToolError,
    known=(
        KnownName("api_documentation", f"{_TOOLS}._hybrid:ApiDocumentation", "shows what an HTTP interface can do"),
        KnownName("ask", f"{_TOOLS}._ask:Ask", "asks a person; there whenever somebody can answer"),
        KnownName("bash", f"{_TOOLS}._bash:Bash", "a shell that keeps its state"),
        KnownName("browser", f"{_TOOLS}._browser:BrowserTool", "a browser"),
        KnownName("edit", f"{_TOOLS}._edit:EditTool", "views and edits files"),
        KnownName("http", f"{_TOOLS}._http:Http", "calls HTTP interfaces"),
        KnownName("python", f"{_TOOLS}._python:PythonTool", "a Python kernel that keeps its state"),
        KnownName("search", f"{_TOOLS}._search:Search", "searches the web, or files"),
    ),
)
"""What may be named in `tools`. A class may ask for `apis`, `engine` and `user`."""

_ALONE = Surroundings()


def default_tools(names: Iterable[str], around: Surroundings = _ALONE) -> list[Tool]:
    """Make fresh tools for one trial, in the order of their names; close each of them after it.

    Raises:
        ToolError: There is no tool of a name, or it lacks something.
    """
    return [_make_one_tool(TOOLS.parse(name), around) for name in names]


def _make_one_tool(spec: Spec, around: Surroundings) -> Tool:
    given: dict[str, object] = {"apis": around.apis}
    if spec.name == "ask":
        if around.user is None:
            raise ToolError("the tool `ask` needs somebody to ask: pass a user")
        given["user"] = around.user
    if spec.name == "search":
        given["engine"] = around.engine or engine_of_environment()
    tool: Tool = TOOLS.make_object(spec, given)
    if not isinstance(getattr(tool, "spec", None), ToolSpec):
        raise ToolError(
            f"tool {spec.name!r} is of type {type(tool).__name__}; expected a function with @tool, or a class"
        )
    return tool


def source_of(names: Iterable[str]) -> str:
    """The hashes of the sources of foreign tools among these, joined with `+`; empty if all are built in."""
    return "+".join(filter(None, (TOOLS.source(TOOLS.parse(name)) for name in names)))
