"""A plain function as an agent: whoever can write `async def fix(run, box)` has one.

Its record names the function and the hash of its source, so that a changed function is another agent, and its trials
are never mistaken for those of the old one. What the function reads from elsewhere is not in the hash.
"""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeGuard

from honestly.agents._run import Actor, Run
from honestly.errors import AgentError
from honestly.records import Agent, digest
from honestly.sandbox import Sandbox

AgentFunction = Callable[[Run, Sandbox], Awaitable[None]]
"""Works on `run.task` in the sandbox; `Hands(run, box)` does things there and writes them down."""


@dataclass(frozen=True, slots=True)
class FunctionAgent:
    """An agent that is a function."""

    function: AgentFunction
    record: Agent

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Calls the function."""
        await self.function(run, box)

    @staticmethod
    def of(given: Actor | AgentFunction, name: str = "") -> Actor:
        """Return an agent as it is, and a function as an agent.

        Args:
            given: an agent, or an asynchronous function of a run and a sandbox.
            name: what reports print; the function's own, if nobody says.

        Raises:
            AgentError: it is neither.
        """
        if _is_agent(given):
            return given
        if not inspect.iscoroutinefunction(given):
            raise AgentError(f"an agent is `async def name(run, box)`, or has a record; {given!r} is neither")
        own = name or given.__name__
        return FunctionAgent(
            given, Agent(name=own, program=f"function:{given.__qualname__}", version=source_version(given))
        )


def _is_agent(given: Actor | AgentFunction) -> TypeGuard[Actor]:
    return isinstance(getattr(given, "record", None), Agent)


def source_version(function: Callable[..., object]) -> str:
    """The hash of a function's source, or of its code where no source is kept."""
    try:
        return digest(inspect.getsource(function))[:16]
    except (OSError, TypeError):  # typed where no source is kept
        code = function.__code__
        return digest(code.co_code.hex(), repr(code.co_consts))[:16]
