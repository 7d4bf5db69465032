"""Agents that somebody else wrote, by `module:object` or as an entry point of a package.

An agent may be an async function of a run and a sandbox, a class whose objects can be called so, or a function that
makes one. Settings are its keyword arguments; it may also ask for `model`, `limits`, `suite` and `name`. Whatever it
says of itself, its identity holds where it is defined, its settings, and the hash of its source file, so that a study
never takes one version of it for another.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from honestly.agents._limits import AgentLimits
from honestly.agents._run import Actor, Housed, Needs, Run
from honestly.agents._table import AGENTS
from honestly.agents.external._driver import Driver
from honestly.agents.external._make import COMMANDS
from honestly.errors import AgentError
from honestly.models import Model
from honestly.records import Agent
from honestly.sandbox import Sandbox
from honestly.seams import Readers, Spec, asks_for, is_async

_EXPECTED = "an async function of a run and a sandbox, a class of such objects, or a function that makes one"


@dataclass(frozen=True)
class Foreign:
    """An agent that somebody else wrote."""

    actor: Actor
    known: Agent
    """Where it is from: name, place, hash, settings."""

    @property
    def record(self) -> Agent:
        """Its identity: what it says of itself, and where it is from."""
        own = getattr(self.actor, "record", None)
        if not isinstance(own, Agent):
            return self.known
        version = "+".join(filter(None, (own.version, self.known.version)))
        model = own.model or self.known.model
        return replace(self.known, version=version, model=model, settings={**own.settings, **self.known.settings})

    @property
    def needs(self) -> Needs:
        """The sandbox that it needs."""
        return self.actor.needs if isinstance(self.actor, Housed) else Needs()

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Lets it work."""
        await self.actor(run, box)


def foreign_agent(asked: Spec, given: Mapping[str, object], readers: Readers) -> Actor:
    """The agent that a spec names, as it was written.

    Args:
        asked: What was typed.
        given: What it may ask for: `name`, `suite`, `limits`, and `model` where there is one.
        readers: How settings of other types are read: a nested agent.

    Raises:
        AgentError: It is not there, is no agent, or its settings make no sense.
    """
    found = AGENTS.load(asked)
    if given["limits"] != AgentLimits() and not asks_for(found, "limits"):
        raise AgentError(f"agent {asked.name!r} takes no `limits`, so it would not keep the budget; leave it out")
    actor: Actor = AGENTS.make(asked, given, readers, factory=not is_async(found))
    if not is_async(actor):
        raise AgentError(f"agent {asked.name!r} is of type {type(actor).__name__}; expected {_EXPECTED}")
    return actor


def identified(actor: Actor, asked: Spec, name: str, model: Model | None) -> Foreign:
    """The agent with an identity that says where it is from."""
    place, source = AGENTS.place(asked), AGENTS.source(asked)
    answering = model.name if model is not None and takes_model(asked) else ""
    known = Agent(name=name, program=place, version=source, model=answering, settings=dict(asked.settings))
    return Foreign(actor, known)


def takes_model(asked: Spec) -> bool:
    """Whether the agent that a spec names can work with a model."""
    found = AGENTS.load(asked)
    return isinstance(found, Driver) or asked.name in COMMANDS or asks_for(found, "model")
