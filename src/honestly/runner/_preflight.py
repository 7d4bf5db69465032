"""Before the first trial: is there anything in the way that would spoil all of them?

Each agent gets a sandbox of its own kind, which shows whether its layers can be had, and says what is in its way
(`honestly.agents.SelfChecking`): a model that does not answer, a key, a price, a program. What the checks need is
looked for where verification would look. One question to each model is paid, and nothing else.
"""

from collections.abc import Sequence

import anyio

from honestly.agents import SelfChecking, base_name, preflight_of
from honestly.errors import AgentError, PreflightError, SandboxError, SandboxUnavailableError
from honestly.runner._attempt import open_agent_sandbox
from honestly.runner._plan import Planned
from honestly.verify import OpenBox

_AT_ONCE = 4


async def preflight(todo: Sequence[Planned], open_box: OpenBox) -> None:
    """Check everything that trials need, once per agent.

    Args:
        todo: the trials that are to begin.
        open_box: opens their sandboxes.

    Raises:
        PreflightError: something is in the way; the message lists all that was found.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    firsts: dict[str, Planned] = {}
    for planned in todo:
        firsts.setdefault(base_name(planned.actor.record) if isinstance(planned.actor, SelfChecking) else "", planned)
    found: set[str] = set()
    limiter = anyio.CapacityLimiter(_AT_ONCE)

    async def look(name: str, planned: Planned) -> None:
        async with limiter:
            try:
                async with open_agent_sandbox(planned, open_box, []) as box:
                    found.update(f"{name}: {trouble}" for trouble in await preflight_of(planned.actor, box))
            except SandboxUnavailableError:
                raise
            except (SandboxError, AgentError) as error:  # its program cannot be brought into the task's image
                found.add(f"{name or 'the sandbox'}: {error}")

    async with anyio.create_task_group() as group:
        for name, planned in firsts.items():
            group.start_soon(look, name, planned)
    if found:
        raise PreflightError(
            "preflight failed, so nothing was run (--no-preflight to run anyway):"
            + "".join(f"\n  {trouble}" for trouble in sorted(found))
        )
