"""The interface of tools: a name, a text for the model, a schema, and something that is done in a sandbox.

An async function whose first parameter is the sandbox becomes a tool by `@tool`: its docstring is the text, its
annotations are the schema, and its arguments are checked against them before it is called. A tool that keeps something
between calls (a shell session, a kernel) is made once for each trial and closed after it; most are a `FunctionTool`
whose function is a method.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, get_type_hints

import msgspec

from honestly.errors import ToolError
from honestly.models import Image, ToolSpec
from honestly.sandbox import Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The result of a call of a tool."""

    text: str = ""
    code: int | None = None
    """Exit status, where it was a command that ended."""
    images: tuple[Image, ...] = ()
    dropped: int = 0
    """Bytes of output that were not kept."""


class Tool(Protocol):
    """Something that an agent may do in its sandbox."""

    @property
    def spec(self) -> ToolSpec:
        """Name, text and schema, as the model is told them."""
        ...

    async def __call__(self, box: Sandbox, arguments: Mapping[str, Any]) -> ToolResult:
        """Do what the tool does, in the sandbox `box`.

        Raises:
            ToolError: The arguments make no sense; the message is for the model.
        """
        ...

    async def close(self) -> None:
        """Release what the tool keeps between calls; idempotent."""
        ...


class Arguments:
    """A function's arguments as a JSON schema, and the check of what a model gave against it."""

    def __init__(self, function: Callable[..., Any], skip: int = 1) -> None:
        """Reads the signature of `function` after its first `skip` parameters."""
        hints = get_type_hints(function, include_extras=True)
        fields: list[Any] = [
            (name, hints[name]) if value.default is value.empty else (name, hints[name], value.default)
            for name, value in list(inspect.signature(function).parameters.items())[skip:]
        ]
        self._type = msgspec.defstruct(function.__name__, fields, kw_only=True, forbid_unknown_fields=True)
        _, components = msgspec.json.schema_components([self._type], ref_template="#/$defs/{name}")
        own = components.pop(function.__name__)
        own.pop("title", None)
        self.schema: dict[str, Any] = own | ({"$defs": components} if components else {})

    def checked_arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as the function takes them; text is read as a number where one is wanted.

        Raises:
            ToolError: Something is missing, unknown or of the wrong type.
        """
        try:
            return msgspec.structs.asdict(msgspec.convert(given, self._type, strict=False))
        except msgspec.ValidationError as error:
            raise ToolError(f"the arguments do not fit: {error}; expected {_outline(self.schema)}") from None


def _outline(schema: Mapping[str, Any]) -> str:
    wanted = set(schema.get("required", ()))
    return ", ".join(name if name in wanted else f"[{name}]" for name in schema.get("properties", {})) or "none"


class FunctionTool:
    """A tool that is an async function or method: its parameters after the sandbox are the schema."""

    def __init__(self, function: Callable[..., Awaitable[ToolResult | str]], *, name: str = "", doc: str = "") -> None:
        """Makes a tool of `function`.

        Args:
            function: Takes the sandbox, then what the model gives; may raise `ToolError` with a message for the model.
            name: What the model calls it; empty for the function's own name.
            doc: What the model reads; empty for the function's docstring.
        """
        self._function = function
        self._arguments = Arguments(function)
        doc = doc or inspect.cleandoc(function.__doc__ or "")
        self.spec = ToolSpec(name=name or function.__name__, doc=doc, schema=self._arguments.schema)

    async def __call__(self, box: Sandbox, arguments: Mapping[str, Any]) -> ToolResult:
        """Checks the arguments, and calls the function with them.

        Raises:
            ToolError: The arguments make no sense, or the function says that it cannot be done.
        """
        out = await self._function(box, **self._arguments.checked_arguments(arguments))
        return ToolResult(text=out) if isinstance(out, str) else out

    async def close(self) -> None:
        """Does nothing: a function keeps nothing between calls."""


def tool(function: Callable[..., Awaitable[ToolResult | str]]) -> Tool:
    """Make a tool of an async function whose first parameter is the sandbox.

    Its docstring is what the model reads; describe parameters there, or with `Annotated[str, msgspec.Meta(
    description=...)]`. It may return text or an `ToolResult`, and raise `ToolError` with a message for the model.
    """
    return FunctionTool(function)
