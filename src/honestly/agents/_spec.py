"""The real agent from what a person types: `honest:temperature=0.2,tools=bash+edit,max-turns=40`, and a model.

Each setting has one place here: its name, which values it may have, and where it goes.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from honestly.agents._honest import Honest
from honestly.agents._limits import DEFAULT_LIMITS, LIMIT_SETTINGS, AgentLimits, AtLeastOne
from honestly.agents._table import AGENTS
from honestly.errors import AgentError, ToolError
from honestly.models import NO_SETTINGS, Model
from honestly.sandbox import Egress
from honestly.seams import NotNegative, parse_list, read_settings
from honestly.tools import Api, default_tools, read_api

_SAMPLING: Mapping[str, tuple[str, Any]] = {
    "temperature": ("temperature", NotNegative),
    "top-p": ("top_p", NotNegative),
    "seed": ("seed", Annotated[int, msgspec.Meta(ge=0)] | Literal["trial"]),
    "reply-tokens": ("max_tokens", AtLeastOne),
    "effort": ("effort", str),
}
_OTHERS: Mapping[str, tuple[str, Any]] = {
    "tools": ("tools", str),
    "context-tokens": ("context_tokens", Annotated[int, msgspec.Meta(ge=1000)]),
    "project": ("reads_project", Literal["yes", "no"]),
    "apis": ("apis", str),
    "allow": ("allow", str),
}
_ALL = {**_SAMPLING, **LIMIT_SETTINGS, **_OTHERS}

SETTINGS = tuple(_ALL)
"""Names of the settings, beside `name` and `model`. `seed=trial` gives each trial a seed of its own."""


def honest_agent(model: Model, name: str, given: Mapping[str, str], limits: AgentLimits = DEFAULT_LIMITS) -> Honest:
    """Make the real agent with these settings; limits that they do not name are `limits`.

    Raises:
        AgentError: A setting is unknown, or its value makes no sense.
    """
    with AGENTS.refusing():
        types = {key: kind for key, (_, kind) in _ALL.items()}
        values = read_settings(given, types, "agent 'honest' with a model")
        for key, read in (("tools", _tools), ("apis", _apis), ("allow", _hosts)):
            if key in values:
                values[key] = read(key, parse_list(values[key]))
    if "project" in values:
        values["project"] = values["project"] == "yes"
    sampling, bounds, others = (
        {table[key][0]: value for key, value in values.items() if key in table}
        for table in (_SAMPLING, LIMIT_SETTINGS, _OTHERS)
    )
    if sampling.get("seed") == "trial":
        others["seeded"] = bool(sampling.pop("seed"))
    return Honest(model, name, limits=replace(limits, **bounds), settings=replace(NO_SETTINGS, **sampling), **others)


def _tools(key: str, names: tuple[str, ...]) -> tuple[str, ...]:
    if "ask" in names:
        raise AgentError(f"setting {key!r} names the tool 'ask', which is there whenever somebody can answer")
    try:
        default_tools(names)
    except ToolError as error:
        raise AgentError(f"setting {key!r}: {error} (join with +)") from error
    return names


def _apis(key: str, files: tuple[str, ...]) -> tuple[Api, ...]:
    try:
        return tuple(read_api(Path(name).expanduser()) for name in files)
    except ToolError as error:
        raise AgentError(f"setting {key!r}: {error}") from error


def _hosts(key: str, hosts: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return Egress(allow=hosts, log=lambda _: None).allow
    except ValueError as error:
        raise AgentError(f"setting {key!r}: {error}") from error
