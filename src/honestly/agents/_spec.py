"""The real agent from what a person types: `honest:temperature=0.2,tools=bash+edit,max-turns=40`, and a model.

Each setting has one place here: its name, how its text is read, and where it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from honestly.agents._honest import Honest
from honestly.agents._limits import DEFAULT_LIMITS, AgentLimits
from honestly.agents._toolbox import NAMED
from honestly.errors import AgentError, ToolError
from honestly.models import NO_SETTINGS, Model
from honestly.sandbox import Egress
from honestly.tools import Api, default_tools, read_api

__all__ = ["SETTINGS", "honest_agent"]


def _number(kind: Callable[[str], Any], least: float) -> Callable[[str, str], Any]:
    def read(key: str, text: str) -> Any:  # noqa: ANN401
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value < float("inf"):
            wanted = "a whole number" if kind is int else "a number"
            raise AgentError(f"setting {key!r} is {wanted}, {least:g} or more, not {text!r}")
        return value

    return read


def _yes(key: str, text: str) -> bool:
    if text not in {"yes", "no"}:
        raise AgentError(f"setting {key!r} is yes or no, not {text!r}")
    return text == "yes"


def _tools(key: str, text: str) -> tuple[str, ...]:
    names = tuple(text.split("+"))
    for name in names:
        if name not in NAMED:
            raise AgentError(f"setting {key!r} names the tool {name!r}; there are: {', '.join(NAMED)} (join with +)")
    try:
        default_tools(names)
    except ToolError as error:
        raise AgentError(f"setting {key!r}: {error}") from error
    return names


def _apis(key: str, text: str) -> tuple[Api, ...]:
    try:
        return tuple(read_api(Path(name).expanduser()) for name in text.split("+"))
    except ToolError as error:
        raise AgentError(f"setting {key!r}: {error}") from error


def _hosts(key: str, text: str) -> tuple[str, ...]:
    try:
        return Egress(allow=tuple(text.split("+")), log=lambda _: None).allow
    except ValueError as error:
        raise AgentError(f"setting {key!r}: {error}") from error


_SAMPLING: Mapping[str, tuple[str, Callable[[str, str], Any]]] = {
    "temperature": ("temperature", _number(float, 0)),
    "top-p": ("top_p", _number(float, 0)),
    "seed": ("seed", _number(int, 0)),
    "reply-tokens": ("max_tokens", _number(int, 1)),
    "effort": ("effort", lambda _key, text: text),
}
_LIMITS: Mapping[str, tuple[str, Callable[[str, str], Any]]] = {
    "max-turns": ("turns", _number(int, 1)),
    "max-tokens": ("tokens", _number(int, 1)),
    "max-usd": ("usd", _number(float, 0)),
    "max-seconds": ("seconds", _number(float, 0)),
}
_OTHERS: Mapping[str, tuple[str, Callable[[str, str], Any]]] = {
    "tools": ("tools", _tools),
    "context-tokens": ("context_tokens", _number(int, 1000)),
    "project": ("reads_project", _yes),
    "apis": ("apis", _apis),
    "allow": ("allow", _hosts),
}

SETTINGS = (*_SAMPLING, *_LIMITS, *_OTHERS)
"""Names of the settings, beside `name`. `seed=trial` gives each trial a seed of its own."""


def honest_agent(model: Model, name: str, given: Mapping[str, str], limits: AgentLimits = DEFAULT_LIMITS) -> Honest:
    """The agent with these settings; limits that it does not name are `limits`.

    Raises:
        AgentError: A setting is unknown, or its value makes no sense.
    """
    sampling, bounds, others = dict[str, Any](), dict[str, Any](), dict[str, Any]()
    for key, text in given.items():
        if (key, text) == ("seed", "trial"):
            others["seeded"] = True
            continue
        places = ((_SAMPLING, sampling), (_LIMITS, bounds), (_OTHERS, others))
        place = next(((table[key], into) for table, into in places if key in table), None)
        if place is None:
            raise AgentError(
                f"with --model, 'honest' is the agent that works with a model, and has no setting {key!r}; "
                f"it has: {', '.join((*SETTINGS, 'name'))}"
            )
        (field, read), into = place
        into[field] = read(key, text)
    return Honest(model, name, limits=replace(limits, **bounds), settings=replace(NO_SETTINGS, **sampling), **others)
