"""The tools of one trial: those with a name are made for it and closed after it, and a project's servers are started.

What tools need beside a sandbox is here too: packages to show in it, limits under which a browser works, and somebody
who answers questions.
"""

from collections.abc import Collection, Iterable
from contextlib import AsyncExitStack

import anyio

from honestly.agents._person import Person
from honestly.agents._project import Server
from honestly.agents._run import Needs
from honestly.errors import AgentError, ToolError
from honestly.sandbox import Sandbox, packages_layout
from honestly.tools import (
    BROWSER_LIMITS,
    BROWSER_PACKAGES,
    KERNEL_PACKAGES,
    Api,
    Surroundings,
    Tool,
    default_tools,
    mcp_program,
)

NO_NEEDS = Needs()


def made(tools: Iterable[str | Tool], person: Person, stack: AsyncExitStack, apis: tuple[Api, ...] = ()) -> list[Tool]:
    """The tools, of which those for HTTP may call `apis`; `stack` closes those that were made here.

    Raises:
        AgentError: There is no tool of a name, or it lacks something.
    """
    found: list[Tool] = []
    for each in (*tools, *(["ask"] if person.there else [])):
        if not isinstance(each, str):
            found.append(each)
            continue
        try:
            (tool,) = default_tools([each], Surroundings(user=person.answer, apis=apis))
        except ToolError as error:
            raise AgentError(str(error)) from error
        stack.push_async_callback(_closed, tool)
        found.append(tool)
    return found


async def served(servers: Iterable[Server], box: Sandbox, stack: AsyncExitStack) -> tuple[list[Tool], list[str]]:
    """The tools of a project's servers, called `mcp__SERVER__TOOL`; and what was wrong with those that failed."""
    found: list[Tool] = []
    notes = []
    for server in servers:
        try:
            program = mcp_program(box, server.command, env=server.env, prefix=f"mcp__{server.name}__")
            found += await stack.enter_async_context(program)
        except ToolError as error:
            notes.append(f"the tool server {server.name!r} does not work: {error}")
    return found, notes


def needs_of(tools: Collection[str | Tool]) -> Needs:
    """The sandbox that these tools need.

    Raises:
        SandboxUnavailableError: An extra is not installed.
    """
    names = {tool.partition(":")[0] for tool in tools if isinstance(tool, str)}
    packages = (*(KERNEL_PACKAGES if "python" in names else ()), *(BROWSER_PACKAGES if "browser" in names else ()))
    if not packages:
        return NO_NEEDS
    layout = packages_layout(packages)
    return Needs(layout=layout, limits=BROWSER_LIMITS) if "browser" in names else Needs(layout=layout)


async def _closed(tool: Tool) -> None:
    """Closes it even where the trial is being cancelled."""
    with anyio.CancelScope(shield=True), anyio.move_on_after(10):
        await tool.close()
