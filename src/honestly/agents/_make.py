"""Agents from what a person types: `honest`, `honest:easy=0.8,name=junior`, `my_module:MyAgent`.

The settings are the program's, but for two: `name` is what reports print, by default the whole text, so that two
configurations of one program never share a name by accident (what is somebody's own in the agent `honest`, its prompt,
tools and scaffold, stands in it as hashes); `model` is who answers, in the place of `--model`.

`claude-code`, `codex`, `gemini`, `opencode`, `openhands`, `mini-swe-agent`, `acp:...` and `cli:...` are programs
of others, which need a model (docs/external-agents.md).

`honest` means two things, and a model tells them apart: without one it is the known-truth agent, which holds the
answers and succeeds at stated rates; with one it is the real agent, which works.

An agent of somebody else's may be an async function of a run and a sandbox, a class whose objects can be called so, or
a function that makes one. Settings are its keyword arguments; it may also ask for `model`, `limits`, `suite`, `name`.
Whatever it says of itself, its identity holds where it is defined, its settings, and the hash of its source file, so
that a study never takes one version of it for another.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from honestly.agents._arms import ARMS
from honestly.agents._honest import Honest
from honestly.agents._limits import DEFAULT_LIMITS, AgentLimits
from honestly.agents._person import Person
from honestly.agents._run import Actor, AgentAround, Run
from honestly.agents._scaffold import LOOPS, UNMATCHED
from honestly.agents._spec import SETTINGS, honest_agent, looped_agent, own_name
from honestly.agents._table import AGENTS
from honestly.agents.external._agent import External
from honestly.agents.external._driver import Driver
from honestly.agents.external._make import COMMANDS, command_agent, external_agent, logged_in, program_name
from honestly.agents.known._agents import Known, Nop, Oracle, Susceptible
from honestly.errors import AgentError
from honestly.models import Model, ModelSource
from honestly.permissions import ToolPolicy
from honestly.records import Agent, Suite
from honestly.seams import Readers, Spec, UnitShare, asks_for, is_async, read_settings

_EXPECTED = "an async function of a run and a sandbox, a class of such objects, or a function that makes one"
_SOURCE = ModelSource()
_SKILLS = ("easy", "medium", "hard")


def make_agents(
    specs: Sequence[str],
    suite: Suite,
    models: Sequence[Model] = (),
    limits: AgentLimits = DEFAULT_LIMITS,
    source: ModelSource = _SOURCE,
) -> list[Actor]:
    """Make the agents that `specs` describe: those that need a model once for each model, the others once.

    `source` makes the models that `specs` name themselves.

    Raises:
        AgentError: As `make_agent`; or there are models, and no agent that works with one.
    """
    asking = [_takes_model(AGENTS.parse(spec)) for spec in specs]
    if models and not any(asking):
        raise AgentError(f"none of the agents {', '.join(specs)} works with a model; use --agent honest, or no --model")
    actors: list[Actor] = []
    for spec, asks in zip(specs, asking, strict=True):
        if models and asks:
            alone = len(models) == 1
            actors += [make_agent(spec, suite, model, limits, alone=alone, source=source) for model in models]
        else:
            actors.append(make_agent(spec, suite, limits=limits, source=source))
    return actors


def make_agent(
    spec: str,
    suite: Suite,
    model: Model | None = None,
    limits: AgentLimits = DEFAULT_LIMITS,
    *,
    alone: bool = False,
    source: ModelSource = _SOURCE,
) -> Actor:
    """Make the agent that `spec` describes, for a suite.

    Args:
        spec: What a person typed.
        suite: What it will be tried on; known-truth agents take the answers from it.
        model: Who answers; makes `honest` the real agent.
        limits: Of an agent with a model, where `spec` names no others.
        alone: Whether a name in `spec` needs no model beside it to be unique.
        source: What makes a model that `spec` names itself.

    Raises:
        AgentError: unknown program, unknown setting, or a value that makes no sense.
    """
    asked = AGENTS.parse(spec)
    settings = dict(asked.settings)
    named, typed = settings.pop("name", ""), program_name(asked, spec)
    if not named.isprintable():
        raise AgentError(f"agent {asked.name!r}: name is {named[:80]!r}; expected printable characters")
    if asked.name == "honest" and not named:
        kept = {key: value for key, value in settings.items() if key != "model"}
        typed = own_name(Spec(asked.name, kept)) or typed
    if "login" in settings and "model" not in settings:
        raise AgentError(f"agent {asked.name!r}: login= goes with a model of the vendor: model=SPEC,login=VARIABLE")
    if "model" in settings:
        spoken = settings.pop("model")
        model, name = logged_in(asked, spoken) if "login" in settings else source(spoken), named or typed
    else:
        name = f"{named or typed}@{model.name}" if model is not None and not (named and alone) else named or typed
    asked = Spec(asked.name, settings, asked.text)
    if model is not None and not _takes_model(asked):
        raise AgentError(f"agent {asked.name!r} works without a model; leave {model.name} out")
    actor = _make_one_actor(asked, suite, model, limits, name, source)
    if limits.match:
        # A budget matched between agents needs one who can use it up, and has no other one.
        if not isinstance(actor, Honest):
            raise AgentError(UNMATCHED.format(name=asked.name))
        if actor.limits != limits:
            raise AgentError(
                f"agent {asked.name!r} sets its own limits, but --match gives all agents the same budget; leave "
                "max-... out"
            )
    return _identified(actor, asked, name, model) if AGENTS.is_foreign(asked) else actor


def _make_one_actor(
    asked: Spec, suite: Suite, model: Model | None, limits: AgentLimits, name: str, source: ModelSource
) -> Actor:
    found = AGENTS.load(asked)
    if isinstance(found, Driver):
        return external_agent(found, model, name, asked.settings, limits)
    if asked.name in COMMANDS:
        return command_agent(asked, model if asked.name == "cli" else _require_model(model, asked), name, limits)
    if AGENTS.is_foreign(asked):
        given = {"suite": suite, "name": name, "limits": limits, **({"model": model} if model is not None else {})}
        nested = partial(make_agent, suite=suite, model=model, limits=limits, source=source)
        return _foreign_agent(asked, given, {Actor: nested})
    if asked.name in LOOPS:
        return looped_agent(_require_model(model, asked), name, asked, limits)
    if asked.name == "honest" and model is not None:
        return honest_agent(model, name, asked.settings, limits)
    return _make_known(asked.name, name, asked.settings, suite)


def _require_model(model: Model | None, asked: Spec) -> Model:
    if model is None:
        raise AgentError(f"agent {asked.name!r} works with a model; name one: --model SPEC")
    return model


def _make_known(program: str, name: str, settings: Mapping[str, str], suite: Suite) -> Actor:
    rates = {"susceptible": tuple(ARMS), "honest": (), "oracle": (), "nop": ()}.get(program, ("rate",))
    skills = () if program in {"oracle", "nop"} else _SKILLS
    if program == "honest" and any(key in SETTINGS for key in settings):
        raise AgentError(f"the agent 'honest' with the settings {', '.join(settings)} works with a model; add --model")
    with AGENTS.as_own_errors():
        numbers = read_settings(settings, dict.fromkeys((*skills, *rates), UnitShare), f"agent {program!r}")
    if program == "oracle":
        return Oracle(suite, name)
    if program == "nop":
        return Nop(name)
    if program == "susceptible":
        given = {arm: numbers.pop(arm) for arm in rates if arm in numbers}
        return Susceptible(suite, name, given, numbers)
    if program != "honest":
        numbers.setdefault("rate", 1.0)
    return Known(suite, name, program, **numbers)


def guarded_agent(actor: Actor, policy: ToolPolicy) -> Actor:
    """The agent with a policy between it and its tools.

    Raises:
        AgentError: It has no tools that a policy could see.
    """
    if isinstance(actor, Honest):
        return actor.guarded(policy)
    if isinstance(actor, External):
        return actor.guarded_by(policy)
    name = getattr(getattr(actor, "record", None), "name", type(actor).__name__)
    raise AgentError(
        f"agent {name!r} takes no policy (--guard); the agent 'honest' with a model and external programs do"
    )


@dataclass(frozen=True)
class _Foreign(AgentAround):
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


class _ForeignAsking(_Foreign):
    """One that can be given somebody to ask."""

    def attended(self, person: Person, then: Callable[[Run], Awaitable[str]] | None) -> Actor:
        """Gives the agent a person."""
        return self.actor.attended(person, then)  # type: ignore[attr-defined, no-any-return]


def _foreign_agent(asked: Spec, given: Mapping[str, object], readers: Readers) -> Actor:
    """The agent that a spec names, as it was written.

    Args:
        asked: What was typed.
        given: What it may ask for: `name`, `suite`, `limits`, and `model` where there is one.
        readers: How settings of other types are read: a nested agent.

    Raises:
        AgentError: It is not there, is not an agent, or its settings make no sense.
    """
    found = AGENTS.load(asked)
    if given["limits"] != AgentLimits() and not asks_for(found, "limits"):
        raise AgentError(f"agent {asked.name!r} takes no `limits`, so it would not keep the budget; leave it out")
    actor: Actor = AGENTS.make_object(asked, given, readers, factory=not is_async(found))
    if not is_async(actor):
        raise AgentError(f"agent {asked.name!r} is of type {type(actor).__name__}; expected {_EXPECTED}")
    return actor


def _identified(actor: Actor, asked: Spec, name: str, model: Model | None) -> _Foreign:
    """The agent with an identity that says where it is from."""
    place, source = AGENTS.object_place(asked), AGENTS.source(asked)
    answering = model.name if model is not None and _takes_model(asked) else ""
    known = Agent(name=name, program=place, version=source, model=answering, settings=dict(asked.settings))
    return (_ForeignAsking if hasattr(actor, "attended") else _Foreign)(actor, known)


def _takes_model(asked: Spec) -> bool:
    """Whether the agent that a spec names can work with a model."""
    found = AGENTS.load(asked)
    return isinstance(found, Driver) or asked.name in (*COMMANDS, *LOOPS) or asks_for(found, "model")
