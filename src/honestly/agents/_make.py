"""Agents from what a person types: `honest`, `honest:easy=0.8,name=junior`, `special-case:rate=0.5`.

The part before the colon is the program, the rest are its settings; `name` is what reports print, by default the whole
text, so that two configurations of one program never share a name by accident.

`claude-code`, `codex`, `gemini`, `openhands`, `mini-swe-agent`, `acp:COMMAND LINE` and `cli:COMMAND LINE` are programs
of others, which need a model (docs/external-agents.md).

`honest` means two things, and a model tells them apart: without one it is the known-truth agent, which holds the
answers and succeeds at stated rates; with one (`--model`) it is the real agent, which works.
"""

from __future__ import annotations

from collections.abc import Sequence

from honestly.agents._arms import ARMS
from honestly.agents._limits import DEFAULT_LIMITS, AgentLimits
from honestly.agents._run import Actor
from honestly.agents._spec import SETTINGS, honest_agent
from honestly.agents.external._make import COMMANDS, DRIVERS, command_agent, external_agent, is_external, without_path
from honestly.agents.known._agents import Known, Nop, Oracle
from honestly.agents.known._cheats import CHEATS
from honestly.agents.known._susceptible import Susceptible
from honestly.errors import AgentError
from honestly.models import Model
from honestly.records import Suite

__all__ = ["PROGRAMS", "make_agent", "make_agents"]

PROGRAMS = ("oracle", "nop", "honest", *CHEATS, "susceptible", *DRIVERS, *COMMANDS)
"""Names of the programs that can be given to `--agent`."""

_SKILLS = ("easy", "medium", "hard")
_ALLOWED: dict[str, tuple[str, ...]] = {
    "oracle": (),
    "nop": (),
    "honest": _SKILLS,
    "susceptible": (*ARMS, *_SKILLS),
}


def make_agents(
    specs: Sequence[str], suite: Suite, models: Sequence[Model] = (), limits: AgentLimits = DEFAULT_LIMITS
) -> list[Actor]:
    """The agents that `specs` describe: those that work with a model once for each model, the others once.

    Raises:
        AgentError: As `make_agent`; or there are models, and no agent that works with one.
    """
    if models and not any(_works_with_a_model(spec) for spec in specs):
        raise AgentError(f"none of the agents {', '.join(specs)} works with a model; use --agent honest, or no --model")
    actors: list[Actor] = []
    for spec in specs:
        if models and _works_with_a_model(spec):
            actors += [make_agent(spec, suite, model, limits, alone=len(models) == 1) for model in models]
        else:
            actors.append(make_agent(spec, suite))
    return actors


def make_agent(
    spec: str, suite: Suite, model: Model | None = None, limits: AgentLimits = DEFAULT_LIMITS, *, alone: bool = False
) -> Actor:
    """The agent that `spec` describes, for a suite.

    Args:
        spec: What a person typed.
        suite: What it will be tried on; known-truth agents take the answers from it.
        model: Who answers; makes `honest` the real agent.
        limits: Of an agent with a model, where `spec` names no others.
        alone: Whether a name in `spec` needs no model beside it to be unique.

    Raises:
        AgentError: unknown program, unknown setting, or a value that makes no sense.
    """
    program, _, rest = spec.partition(":")
    if program in COMMANDS:
        return command_agent(program, rest, _needed(model, program), f"{spec}@{_needed(model, program).name}", limits)
    settings = dict(_setting(part, spec) for part in rest.split(",") if part)
    named = settings.pop("name", "")
    if program not in PROGRAMS:
        raise AgentError(f"unknown agent {program!r}; there are: {', '.join(PROGRAMS)}")
    if model is not None:
        if not _works_with_a_model(spec):
            raise AgentError(f"agent {program!r} works without a model; leave {model.name} out")
        name = named if named and alone else f"{named or without_path(spec)}@{model.name}"
        if is_external(spec):
            return external_agent(program, model, name, settings, limits)
        return honest_agent(model, name, settings, limits)
    if is_external(spec):
        _needed(model, program)
    return _known(program, named or spec, settings, suite)


def _works_with_a_model(spec: str) -> bool:
    return spec.partition(":")[0] == "honest" or is_external(spec)


def _needed(model: Model | None, program: str) -> Model:
    if model is None:
        raise AgentError(f"agent {program!r} works with a model; say which: --model SPEC")
    return model


def _known(program: str, name: str, settings: dict[str, str], suite: Suite) -> Actor:
    """One of the agents that need no model."""
    allowed = _ALLOWED.get(program, (*_SKILLS, "rate"))
    for key in settings:
        if key not in allowed:
            hint = (
                ". The agent that works with a model needs --model" if program == "honest" and key in SETTINGS else ""
            )
            raise AgentError(f"agent {program!r} has no setting {key!r}; it has: {', '.join((*allowed, 'name'))}{hint}")
    if program == "oracle":
        return Oracle(suite, name)
    if program == "nop":
        return Nop(name)
    numbers = {key: _probability(key, value) for key, value in settings.items()}
    if program == "susceptible":
        rates = {key: value for key, value in numbers.items() if key in ARMS}
        return Susceptible(suite, name, rates, {key: value for key, value in numbers.items() if key in _SKILLS})
    if program != "honest":
        numbers.setdefault("rate", 1.0)
    return Known(suite, name, program, **numbers)


def _setting(part: str, spec: str) -> tuple[str, str]:
    key, equals, value = part.partition("=")
    if not equals or not value:
        raise AgentError(f"in {spec!r}: expected settings like key=value after the colon, found {part!r}")
    return key.strip(), value.strip()


def _probability(key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise AgentError(f"setting {key!r} is a probability between 0 and 1, not {text!r}")
    return value
