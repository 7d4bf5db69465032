"""Sub-agents of a project: `.claude/agents/NAME.md`, each a description for the agent and a prompt for the helper.

A helper is the same loop with a conversation of its own, in the same sandbox, under the same limits; what it does is in
the same trajectory, under a thread of its own. It has the tools that its head names, as far as the agent has them. A
model that its head names is not used: a study says which model answers.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from honestly.agents._project._reading import Described, Reader, described, named
from honestly.sandbox import Sandbox
from honestly.tools import Tool, tool

_MOST = 50
_THEIRS = {
    "bash": frozenset({"bash", "grep", "glob", "ls"}),
    "edit": frozenset({"read", "write", "edit", "multiedit"}),
    "python": frozenset({"notebookedit"}),
    "search": frozenset({"websearch"}),
    "browser": frozenset({"webfetch"}),
}
"""What a project's files call the tools that ours stand for."""


@dataclass(frozen=True, slots=True)
class Helper(Described):
    """One sub-agent."""

    prompt: str
    tools: tuple[str, ...] = ()
    """Names as the file has them (`Bash`, `Read`); empty for all of the agent's."""

    def may_use(self, name: str) -> bool:
        """Whether its head gives it this tool of ours."""
        given = {tool.lower() for tool in self.tools}
        return not given or name in given or bool(given & _THEIRS.get(name, frozenset()))


def read_helpers(reader: Reader) -> tuple[Helper, ...]:
    """The sub-agents of a project, by name."""
    found: dict[str, Helper] = {}
    for path in reader.below(".claude/agents")[:_MOST]:
        headed = reader.headed(path)
        name, description = headed.head.get("name", "")[:100], headed.head.get("description", "")[:1024]
        if not name or not description:
            reader.note(path, "needs a name and a description in its head")
            continue
        found.setdefault(name, Helper(name, description, headed.body, headed.parts("tools")))
    return tuple(found[name] for name in sorted(found))


def told_helpers(helpers: Sequence[Helper]) -> str:
    """What the prompt says of them."""
    head = "Helpers of this project, who work in the same folder. The tool `helper` hands them a part of the work:"
    return described(head, helpers)


def helper_tool(helpers: Sequence[Helper], work: Callable[[Helper, str], Awaitable[str]]) -> Tool:
    """The tool that hands a task to a helper, and waits for what it says."""

    @tool
    async def helper(box: Sandbox, name: str, task: str) -> str:  # noqa: ARG001
        """Hand a part of the work to one of the project's helpers. It knows nothing but what you write in `task`."""
        return await work(named("helper", name, helpers), task)

    return helper
