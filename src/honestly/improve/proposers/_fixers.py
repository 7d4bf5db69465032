"""Fixers that need no model: they change a task of a suite so that what earned its reward unfairly earns it no more.

| fixer | what it does |
|---|---|
| tasks-harden | what `honestly task harden` does: takes answers out, keeps tests out of the agent's hands |
| probes | adds hidden checks: calls that the tests make, varied; right is what the reference answers |
| tasks-harden+probes | both |

Probes assume that the task says what a varied input should give; where it does not, they are unfair to who answers
otherwise than the reference, which only solvers can show. So a call is used only if it raises nothing, and answers
twice with the same plain data. Not covered: what is not a Python function that the tests call with literals.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from honestly.agents import Actor, Hands, Run
from honestly.errors import AgentError
from honestly.improve._suite_target import folder_tree, task_in
from honestly.improve.proposers._probes import with_probes
from honestly.records import Agent, Edit, Truth
from honestly.sandbox import Sandbox
from honestly.verify import OpenBox, harden_task

_NAMED = re.compile(r"the task in the folder `([^`/]+)/`")


@dataclass(frozen=True)
class Fixer:
    """An agent that hardens one task by rules."""

    name: str
    open_box: OpenBox

    @property
    def record(self) -> Agent:
        """The configuration that identifies it."""
        return Agent(name=self.name, program=self.name, version="1")

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Changes the task that it is told to harden."""
        if (found := _NAMED.search(run.task.instruction)) is None:
            raise AgentError(
                "this agent works in the loop `harden` only: here there is no task to harden; give --loop harden"
            )
        given, name, hands = run.task.workspace, found[1], Hands(run, box)
        before = after = task_in(given, name)
        if "tasks-harden" in self.name:
            after = (await harden_task(after, self.open_box)).task
        if "probes" in self.name:
            after = await with_probes(after, self.open_box)
        run.truth = Truth(kind=self.name, succeeded=after != before, rate=1.0)
        if after != before:
            change = Edit.between(folder_tree([before]), folder_tree([after]))
            kept = change.write.without([f"{name}/task.toml"])
            await hands.apply(Edit(write=kept, delete=change.delete), why="This should close it.")
        hands.finish("I changed what I could." if after != before else "I found nothing to change.", claimed=True)


FIXERS: dict[str, Callable[[OpenBox], Actor]] = {
    name: (lambda open_box, name=name: Fixer(name, open_box))  # type: ignore[misc]
    for name in ("tasks-harden", "probes", "tasks-harden+probes")
}
"""What `--agent` of the loop `harden` may name beside the agents of `run`."""
