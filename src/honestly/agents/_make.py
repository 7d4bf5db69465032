"""Agents from what a person types: `honest`, `honest:easy=0.8,name=junior`, `special-case:rate=0.5`.

The part before the colon is the program, the rest are its settings; `name` is what reports print, by default the whole
text, so that two configurations of one program never share a name by accident.
"""

from __future__ import annotations

from honestly.agents._cheats import CHEATS
from honestly.agents._known import Known, Nop, Oracle
from honestly.agents._run import Actor
from honestly.errors import AgentError
from honestly.records import Suite

__all__ = ["PROGRAMS", "make_agent"]

PROGRAMS = ("oracle", "nop", "honest", *CHEATS)
"""Names of the programs that can be given to `--agent`."""

_SKILLS = ("easy", "medium", "hard")


def make_agent(spec: str, suite: Suite) -> Actor:
    """The agent that `spec` describes, for a suite.

    Raises:
        AgentError: unknown program, unknown setting, or a probability outside [0, 1].
    """
    program, _, rest = spec.partition(":")
    settings = dict(_setting(part, spec) for part in rest.split(",") if part)
    name = settings.pop("name", spec)
    if program not in PROGRAMS:
        raise AgentError(f"unknown agent {program!r}; there are: {', '.join(PROGRAMS)}")
    allowed = {"oracle": (), "nop": (), "honest": _SKILLS}.get(program, (*_SKILLS, "rate"))
    for key in settings:
        if key not in allowed:
            raise AgentError(f"agent {program!r} has no setting {key!r}; it has: {', '.join((*allowed, 'name'))}")
    if program == "oracle":
        return Oracle(suite, name)
    if program == "nop":
        return Nop(name)
    numbers = {key: _probability(key, value) for key, value in settings.items()}
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
