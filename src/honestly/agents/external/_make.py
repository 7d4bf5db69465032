"""External agents from what a person types: `claude-code`, `codex:path=/opt/codex,max-turns=50`, `cli:my-agent --flag`,
`acp:my-agent --acp`.

A program has to be installed; it is found on the search path, or where `path` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from honestly.agents._limits import AgentLimits
from honestly.agents.external._agent import External
from honestly.agents.external._driver import Driver
from honestly.agents.external._find import find_program
from honestly.agents.external.drivers._acp import acp_driver
from honestly.agents.external.drivers._claude_code import CLAUDE_CODE
from honestly.agents.external.drivers._codex import CODEX
from honestly.agents.external.drivers._command import command_driver
from honestly.agents.external.drivers._gemini import GEMINI
from honestly.agents.external.drivers._mini import MINI
from honestly.agents.external.drivers._openhands import OPENHANDS
from honestly.errors import AgentError
from honestly.models import Model

__all__ = ["COMMANDS", "DRIVERS", "command_agent", "external_agent", "is_external", "without_path"]

DRIVERS = {driver.name: driver for driver in (CLAUDE_CODE, CODEX, GEMINI, OPENHANDS, MINI)}
"""Drivers by the name that `--agent` takes."""

COMMANDS: dict[str, Callable[[str], Driver]] = {"acp": acp_driver, "cli": command_driver}
"""Drivers that take a command line, by the name that stands before it: of a program that speaks ACP, and of any."""

_NUMBERS = {"max-turns": ("turns", int), "max-tokens": ("tokens", int), "max-usd": ("usd", float)}
_SECONDS = {"max-seconds": ("seconds", float)}
_SETTINGS = ("path", "told", *_NUMBERS, *_SECONDS)


def is_external(spec: str) -> bool:
    """Whether this names a program of somebody else's."""
    program = spec.partition(":")[0]
    return program in COMMANDS or program in DRIVERS


def without_path(spec: str) -> str:
    """What was typed less the place of the program, which is this machine's affair and no part of a name."""
    program, colon, rest = spec.partition(":")
    kept = [part for part in rest.split(",") if not part.strip().startswith("path=")]
    return program + colon + ",".join(kept) if kept else program


def external_agent(program: str, model: Model, name: str, given: Mapping[str, str], limits: AgentLimits) -> External:
    """The program of a driver, with these settings; limits that it does not name are `limits`, but for turns.

    Raises:
        AgentError: It is not installed, or a setting is unknown or makes no sense.
    """
    bounds: dict[str, int | float] = {}
    for key, text in given.items():
        if key in _NUMBERS | _SECONDS:
            field, kind = (_NUMBERS | _SECONDS)[key]
            bounds[field] = _number(key, text, kind)
        elif key not in _SETTINGS:
            raise AgentError(f"agent {program!r} has no setting {key!r}; it has: {', '.join((*_SETTINGS, 'name'))}")
    driver = DRIVERS[program]
    folder = Path(given["path"]).expanduser().absolute() if "path" in given else None
    installed = find_program(driver.program, driver.distribution, folder)
    return External(driver, installed, model, name, _limits(limits, bounds), given.get("told", ""))


def command_agent(kind: str, line: str, model: Model, name: str, limits: AgentLimits) -> External:
    """A command line as an agent.

    Raises:
        AgentError: It makes no sense, or its program is not there.
    """
    driver = COMMANDS[kind](line)
    installed = find_program(driver.program, driver.distribution)
    return External(driver, installed, model, name, _limits(limits, {}), settings={"command": line})


def _limits(limits: AgentLimits, bounds: Mapping[str, int | float]) -> AgentLimits:
    return replace(limits, **{"turns": None, **bounds})  # type: ignore[arg-type]


def _number(key: str, text: str, kind: type[int] | type[float]) -> int | float:
    try:
        value = kind(text)
    except ValueError:
        value = -1
    if not 0 < value < float("inf"):
        raise AgentError(f"setting {key!r} is a number above 0, not {text!r}")
    return value
