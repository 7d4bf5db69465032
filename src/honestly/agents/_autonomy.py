"""How far an agent goes without its person: `plan` looks only, `ask` asks before each change, `edit` before commands.

A person who is in control can change it while the agent works, and can take over in the agent's sandbox.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from honestly.permissions import NO_POLICY, Rule, Ruling, ShellState, ToolPolicy

if TYPE_CHECKING:
    from honestly.agents._run import Run
    from honestly.sandbox import Sandbox

Autonomy = Literal["plan", "ask", "edit", "full"]

_LOOKS = (
    *("ls:*", "cat:*", "head:*", "tail:*", "grep:*", "wc:*", "pwd", "stat:*", "diff:*", "echo:*", "cd:*", "true"),
    *("git status:*", "git diff:*", "git log:*", "git show:*"),
)
_READS = tuple(Rule("allow", name) for name in ("read", "finish", "ask", "todo", "skill", "search")) + tuple(
    Rule("allow", "bash", look) for look in _LOOKS
)
_ASK = ToolPolicy(_READS, "ask")
AUTONOMY: Mapping[Autonomy, ToolPolicy] = {
    "plan": _ASK,
    "ask": _ASK,
    "edit": ToolPolicy((*_READS, Rule("allow", "edit"), Rule("allow", "write")), "ask"),
    "full": NO_POLICY,
}
"""What an agent may do at each level without asking; at `plan`, what would be asked is refused."""


@runtime_checkable
class InControl(Protocol):
    """A person who decides how far the agent may go, and may take its place."""

    @property
    def autonomy(self) -> Autonomy:
        """How far the agent may go now."""
        ...

    def noted(self, name: str, arguments: Mapping[str, Any], *, allowed: bool) -> None:
        """Hear how a use of a tool that the person was asked about came out."""
        ...

    async def takes_over(self, run: Run, box: Sandbox) -> str:
        """Work in the agent's place, if the person wants to; what the model is told of it, empty where they do not."""
        ...


def autonomy_ruling(level: Autonomy, name: str, arguments: Mapping[str, Any], shell: ShellState | None) -> Ruling:
    """What a level says of a use of a tool."""
    said = AUTONOMY[level].decision(name, arguments, shell) if level != "full" else Ruling("allow")
    if said.word == "allow":
        return Ruling("allow")
    reason = "only look for now, and say what you would do; the person decides" if level == "plan" else said.reason
    return Ruling("deny" if level == "plan" else "ask", f"autonomy {level}", reason)
