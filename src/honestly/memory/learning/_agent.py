"""An agent that is told what it learnt before, and the state of what it knows.

It is another agent by name and record, so that a study never takes its trials for those of the same agent without
memory. What it knows changes from trial to trial, and belongs to the study, not to the record.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from honestly.agents import Actor, AgentAround, Honest, Run
from honestly.errors import AgentError
from honestly.memory._library import MemoryLibrary
from honestly.memory._told import SKILLS_AT, recalled_notes
from honestly.memory.learning._spec import MemorySpec
from honestly.models import Model
from honestly.records import Agent
from honestly.sandbox import Sandbox

RECALLED = "recalled.txt"
"""Name of the artifact that holds what the agent was told of what it had learnt."""


@dataclass
class AgentMemory:
    """The present knowledge of an agent."""

    library: MemoryLibrary
    step: int = 0
    """Lessons until now."""
    closed: bool = False
    """Whether it has been tried on families that taught it nothing, after which it learns nothing more."""


@dataclass(frozen=True)
class Remembering(AgentAround):
    """An agent with memory."""

    actor: Actor
    spec: MemorySpec
    mind: AgentMemory = field(compare=False)

    @property
    def model(self) -> Model | None:
        """Who writes for its memory: the model that answers the agent; None for rules."""
        return self.actor.model if self.spec.by != "rules" and isinstance(self.actor, Honest) else None

    @property
    def record(self) -> Agent:
        """Its identity: that of the agent, and how it learns."""
        record, spec = self.actor.record, self.spec
        settings: dict[str, str | int | float | bool | None] = {
            "memory": f"placebo of {spec.kind}" if spec.placebo else spec.kind,
            "memory_judge": spec.judge,
            "memory_by": self.model.name if self.model else "rules",
            "memory_most": spec.most,
            "memory_size": spec.size,
            **({"memory_begun": spec.begun.hash} if spec.begun else {}),
        }
        return replace(record, name=f"{record.name}~{spec.name}", settings=record.settings | settings)

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Lets the agent work, told what it knows."""
        notes = recalled_notes(self.mind.library, placebo=self.spec.placebo)
        run.artifacts[RECALLED] = notes.encode()
        if notes:
            run.task = replace(run.task, instruction=notes + run.task.instruction)
        if not self.spec.placebo:
            for skill in self.mind.library.admitted_skills:
                await box.write(f"{SKILLS_AT}/{skill.name}.py", skill.code.encode())
        await self.actor(run, box)


def with_memory(actors: Sequence[Actor], specs: Sequence[MemorySpec]) -> list[Actor]:
    """Each agent as it is, and with each kind of memory.

    Raises:
        AgentError: a memory needs a model, and the agent has none.
    """
    made: list[Actor] = []
    for actor in actors:
        made.append(actor)
        for spec in specs:
            asks = spec.kind == "skills" or spec.judge == "model" or spec.by == "model"
            if asks and not isinstance(actor, Honest):
                raise AgentError(
                    f"--memory {spec.name} asks the agent's model, and {actor.record.name!r} has none; expected the "
                    "agent `honest` with a --model (or workflows by rules, judged by visible or hidden checks)"
                )
            made.append(Remembering(actor, spec, AgentMemory(spec.begun or MemoryLibrary(kind=spec.kind))))
    return made
