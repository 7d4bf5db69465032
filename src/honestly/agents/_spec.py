"""The real agent from what a person types: `honest:temperature=0.2,tools=bash+edit,max-turns=40`, and a model.

Each setting has one place here: its name, which values it may have, and where it goes.

What of it is somebody's own (a prompt, tools, the loop) is known by its content: where nobody names the agent, its name
has the first four digits of the hash of each, `honest+prompt-3fa2`, so that a changed one is another agent by name.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from honestly.agents._honest import Honest
from honestly.agents._limits import DEFAULT_LIMITS, LIMIT_SETTINGS, AgentLimits, AtLeastOne
from honestly.agents._prompt import read_prompt
from honestly.agents._scaffold import Scaffold
from honestly.agents._table import AGENTS
from honestly.errors import AgentError, ToolError
from honestly.models import NO_SETTINGS, Model
from honestly.records import digest
from honestly.sandbox import Egress
from honestly.seams import NotNegative, Spec, format_spec, parse_list, read_settings
from honestly.tools import Api, default_tools, read_api, source_of

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
    "prompt": ("prompt", Path),
    "scaffold": ("scaffold", str),
}
_ALL = {**_SAMPLING, **LIMIT_SETTINGS, **_OTHERS}

SETTINGS = tuple(_ALL)
"""Names of the settings, beside `name` and `model`. `seed=trial` gives each trial a seed of its own."""


def honest_agent(model: Model, name: str, given: Mapping[str, str], limits: AgentLimits = DEFAULT_LIMITS) -> Honest:
    """Make the built-in agent with these settings; other limits are those in `limits`.

    Raises:
        AgentError: A setting is unknown, or its value makes no sense.
    """
    with AGENTS.as_own_errors():
        types = {key: kind for key, (_, kind) in _ALL.items()}
        values = read_settings(given, types, "agent 'honest' with a model")
        for key, read in (("tools", _checked_tools), ("apis", _apis), ("allow", _hosts)):
            if key in values:
                values[key] = read(key, parse_list(values[key]))
        if "prompt" in values:
            values["prompt"] = read_prompt(values["prompt"])
        if "scaffold" in values:
            values["scaffold"] = Scaffold.of(values["scaffold"])
    if "project" in values:
        values["project"] = values["project"] == "yes"
    sampling, bounds, others = (
        {table[key][0]: value for key, value in values.items() if key in table}
        for table in (_SAMPLING, LIMIT_SETTINGS, _OTHERS)
    )
    if sampling.get("seed") == "trial":
        others["seeded"] = bool(sampling.pop("seed"))
    return Honest(model, name, limits=replace(limits, **bounds), settings=replace(NO_SETTINGS, **sampling), **others)


def looped_agent(model: Model, name: str, asked: Spec, limits: AgentLimits = DEFAULT_LIMITS) -> Honest:
    """Make the real agent with a built-in loop, `team:rounds=3,tools=bash`: what is no setting of ours, the loop has.

    Raises:
        AgentError: A setting is unknown, or its value makes no sense.
    """
    if "scaffold" in asked.settings:
        raise AgentError(
            f"the agent {asked.name!r} is a loop by itself; leave scaffold= out, or use honest:scaffold=..."
        )
    own = {key: value for key, value in asked.settings.items() if key in SETTINGS}
    loop = Spec(asked.name, {key: value for key, value in asked.settings.items() if key not in SETTINGS})
    return honest_agent(model, name, {**own, "scaffold": format_spec(loop)}, limits)


def own_name(asked: Spec) -> str:
    """The name of an agent with parts of somebody's own, where nobody gives one; empty where it has none.

    Raises:
        AgentError: A part is not there, or is not what it should be.
    """
    given = dict(asked.settings)
    parts = {}
    if path := given.pop("prompt", ""):
        parts["prompt"] = digest(read_prompt(Path(path).expanduser()))
    with AGENTS.as_own_errors():
        tools = parse_list(given.get("tools", ""))
    if sources := source_of(_checked_tools("tools", tools)) if "tools" in given else "":
        parts["tools"] = digest(sources)
    if scaffold := given.pop("scaffold", ""):
        parts["scaffold"] = digest(scaffold, Scaffold.of(scaffold).source)
    marks = "".join(f"+{part}-{found[:4]}" for part, found in parts.items())
    return format_spec(Spec(asked.name + marks, given)) if marks else ""


def _checked_tools(key: str, names: tuple[str, ...]) -> tuple[str, ...]:
    if "ask" in names:
        raise AgentError(
            f"setting {key!r} names the tool 'ask', which an agent always has if a user can answer; leave it out"
        )
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
