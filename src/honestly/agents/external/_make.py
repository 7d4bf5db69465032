"""External agents from what a person types: `claude-code`, `codex:path=/opt/codex,max-turns=50`, `cli:my-agent --flag`,
`acp:my-agent --acp`.

A program has to be installed; it is found on the search path, or where `path` says.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from honestly.agents._limits import LIMIT_SETTINGS, AgentLimits
from honestly.agents._table import AGENTS
from honestly.agents.external._agent import External
from honestly.agents.external._driver import Driver, Start
from honestly.agents.external._find import find_program
from honestly.agents.external._variation import CONTENT, VARIED, LoggedIn, Variation
from honestly.agents.external.drivers._command import names_model
from honestly.errors import AgentError
from honestly.models import Model
from honestly.records import digest
from honestly.seams import Spec, format_spec, read_settings

COMMANDS = tuple(known.name for known in AGENTS.known if known.text)
"""Names of the drivers that take a command line: of a program that speaks ACP, and of any."""

_TYPES = {"path": Path, "told": str, **VARIED, **{key: kind for key, (_, kind) in LIMIT_SETTINGS.items()}}


def driver_of(program: str, line: str = "") -> Driver | None:
    """The driver of a built-in program, given the command line where it takes one; None if it has none.

    Raises:
        AgentError: The command line makes no sense.
    """
    if program not in {known.name for known in AGENTS.known}:
        return None
    asked = Spec(program)
    found = AGENTS.make_object(asked, {"line": line}, factory=True) if program in COMMANDS else AGENTS.load(asked)
    return found if isinstance(found, Driver) else None


_NO_NAME = ("path", "login", *CONTENT)


def program_name(asked: Spec, typed: str) -> str:
    """The typed text less what is this machine's affair; skills and tool servers by the hash of what they hold.

    Raises:
        AgentError: A skill or a file is not there.
    """
    found = AGENTS.load(asked)
    if not isinstance(found, Driver) or not set(_NO_NAME) & asked.settings.keys():
        return typed
    content = {key: value for key, value in asked.settings.items() if key in CONTENT}
    varied = Variation.of(found, read_settings(content, VARIED, f"agent {found.name!r}")).settings()
    marks = "".join(f"+{key}-{digest(varied[f'{key}_files'])[:4]}" for key in content)
    kept = {key: value for key, value in asked.settings.items() if key not in _NO_NAME}
    return format_spec(Spec(asked.name + marks, kept))


def logged_in(asked: Spec, model: str) -> LoggedIn:
    """The model that a program asks with the log-in that its settings name.

    Raises:
        AgentError: It has no log-in, or its variable is not set.
    """
    driver, variable = AGENTS.load(asked), asked.settings["login"]
    if not (isinstance(driver, Driver) and driver.vendor):
        raise AgentError(f"agent {asked.name!r} has no login=; expected claude-code, codex or gemini")
    found = LoggedIn(model, driver.vendor, variable)
    found.upstream()
    return found


def external_agent(
    driver: Driver, model: Model | None, name: str, given: Mapping[str, str], limits: AgentLimits
) -> External:
    """Make an agent of the program of a driver; limits that the settings do not name are `limits`, but for turns.

    Raises:
        AgentError: It is not installed, a setting is unknown or makes no sense, or there is no model.
    """
    with AGENTS.as_own_errors():
        values = read_settings(given, {**_TYPES, "model": str, "login": str}, f"agent {driver.name!r}")
    if model is None:
        raise AgentError(f"agent {driver.name!r} works with a model; name one: --model SPEC")
    bounds = {LIMIT_SETTINGS[key][0]: value for key, value in values.items() if key in LIMIT_SETTINGS}
    folder = values["path"].absolute() if "path" in values else None
    installed = find_program(driver.program, driver.distribution, folder)
    variation = Variation.of(driver, values)
    taken = driver.launch(Start(instruction="", program=(), url="", token="", model="")).env.keys()
    named = variation.variables(os.environ).keys()
    ours = {name for name in named if name in {"HOME", "PATH"} or name.startswith("LD_")}
    if both := sorted(taken & {*named, *variation.asked_names} | ours):
        raise AgentError(
            f"agent {driver.name!r}: env names {', '.join(both)}, which honestly sets itself; leave it out"
        )
    bounds_kept = _merged_limits(limits, bounds)
    return External(driver, installed, model, name, bounds_kept, values.get("told", ""), variation=variation)


def command_agent(asked: Spec, model: Model | None, name: str, limits: AgentLimits) -> External:
    """Make an agent of a command line.

    Raises:
        AgentError: It makes no sense, its program is not there, or it names a model and there is none.
    """
    driver = driver_of(asked.name, asked.text)
    assert driver is not None
    if model is None and names_model(asked.text):
        raise AgentError(f"agent {asked.name!r} passes a model to its program; name one: --model SPEC")
    installed = find_program(driver.program, driver.distribution, settable=False)
    return External(driver, installed, model, name, _merged_limits(limits, {}), settings={"command": asked.text})


def _merged_limits(limits: AgentLimits, bounds: Mapping[str, Any]) -> AgentLimits:
    return replace(limits, **{"turns": None, **bounds})
