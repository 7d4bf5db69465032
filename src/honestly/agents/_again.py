"""An agent from its record: the same configuration once more, with another model in the place of its own.

What is made must have the record that it was made of, up to the version of a program that is installed here; where an
agent held more than its record says, that is an error.
"""

import dataclasses
from pathlib import Path

import msgspec
from msgspec.structs import replace

from honestly.agents._arms import AgentUnderArm, arm_of, checkpoint_of, plain_record, without_checkpoint
from honestly.agents._honest import PROGRAM, Honest
from honestly.agents._limits import AgentLimits, setting_of
from honestly.agents._overlay import OverlaidAgent, overlay_of, without_overlay
from honestly.agents._scaffold import Scaffold
from honestly.agents.external._agent import External
from honestly.agents.external._driver import Driver
from honestly.agents.external._find import find_program
from honestly.agents.external._make import driver_of
from honestly.agents.external._variation import Variation
from honestly.errors import AgentError
from honestly.models import Model, Recorded, Settings
from honestly.permissions import policy_of
from honestly.records import Agent
from honestly.seams import parse_list


def agent_again(
    record: Agent, model: Model, *, behind: Recorded | None = None, folder: Path | None = None
) -> Honest | External | OverlaidAgent | AgentUnderArm:
    """Make an agent again from its record, with its overlay, arm and checkpoint.

    Args:
        record: What a study says of it.
        model: Who answers it; has the name of the model that did.
        behind: Who answers the proxy of an external agent, in the model's place.
        folder: Where its program is installed; None for the search path.

    Raises:
        AgentError: It does not work with a model, its program is not installed, or its record is not all of it.
    """
    bare = without_checkpoint(plain_record(record))
    if bare != record:
        actor = agent_again(bare, model, behind=behind, folder=folder)
        return AgentUnderArm(actor, arm_of(record), checkpoint_of(record))
    if overlay := overlay_of(record):
        actor = agent_again(without_overlay(record), model, behind=behind, folder=folder)
        return OverlaidAgent(actor, *overlay)
    if record.program == PROGRAM:
        return _require_same_record(_honest_again(record, model), record)
    driver = driver_of(record.program, str(record.settings.get("command", "")))
    if driver is None or not record.model:
        raise AgentError(f"{record.name!r} ({record.program}) works without a model, so there is nothing to give again")
    return _require_same_record(_limits_from_record(record, model, driver, behind, folder), record)


def _honest_again(record: Agent, model: Model) -> Honest:
    given = record.settings
    names = {field.name for field in dataclasses.fields(Settings)} - {"stop", "timeout_s"}
    sampling = {key: value for key, value in given.items() if key in names}
    timeout = {"timeout_s": given["timeout_s"]} if "timeout_s" in given else {}
    try:
        settings = msgspec.convert(sampling | timeout, Settings)
        return Honest(
            model,
            record.name,
            tools=parse_list(str(given["tools"])),
            limits=_same_actor(record),
            settings=settings,
            context_tokens=int(given["context_tokens"] or 0),
            reads_project=bool(given["reads_project"]),
            seeded=bool(given["seeded"]),
            prompt=str(given.get("prompt", "")),
            scaffold=Scaffold.of(str(given["scaffold"])) if "scaffold" in given else None,
            guard=policy_of(msgspec.json.decode(str(given["guard"]))) if "guard" in given else None,
        )
    except (KeyError, ValueError, TypeError) as error:  # a ValidationError is a ValueError
        raise AgentError(f"the record of {record.name!r} is not one that this version makes: {error!r}") from error


def _limits_from_record(
    record: Agent, model: Model, driver: Driver, behind: Recorded | None, folder: Path | None
) -> External:
    installed = find_program(driver.program, driver.distribution, folder)
    given = {key: str(value) for key, value in record.settings.items() if not key.startswith("max_")}
    told, varied = given.pop("told", ""), Variation.of_record(record.settings)
    given = {key: value for key, value in given.items() if key not in varied.settings()}
    guard = policy_of(msgspec.json.decode(given.pop("guard"))) if "guard" in given else None
    limits = _same_actor(record)
    return External(
        driver, installed, model, record.name, limits, told, given, variation=varied, guard=guard, behind=behind
    )


def _same_actor(record: Agent) -> AgentLimits:
    found = {name: record.settings.get(setting_of(name)) for name in AgentLimits.__slots__}
    return msgspec.convert(found, AgentLimits)


def _require_same_record(actor: Honest | External, record: Agent) -> Honest | External:
    made = actor.record
    if replace(made, version="") != replace(record, version=""):
        now, then = made.settings, record.settings
        other = sorted(key for key in {*now, *then} if now.get(key) != then.get(key))
        told = "; ".join(
            f"{key}: {_short_value(then.get(key))} was recorded, {_short_value(now.get(key))} is here" for key in other
        )
        raise AgentError(f"{record.name!r} held more than its record says, or has changed since. {told}")
    return actor


def _short_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:30]}…{text[-29:]}"
