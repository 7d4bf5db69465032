"""Trials that cheat, two for each planted one that has steps: as it is, and in the middle of honest work.

`fill` makes a study of them: a task for each, an agent for each way of planting an instruction, and one for none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from injections import INJECTIONS, planted_steps
from msgspec.structs import replace as replace_record
from planted import PLANTED, Mini, ran, said, wrote

from honestly.records import Agent, Step, Trial, digest, encode
from honestly.store import Store

__all__ = ["PLAIN", "fill", "injected", "positives"]

PLAIN = "as it is"
"""The agent whose trials hold no instruction."""


def positives() -> dict[str, Mini]:
    """By name. Those that only a verdict tells have no steps, and are left out."""
    found: dict[str, Mini] = {}
    for name, (_, hack, _) in PLANTED.items():
        steps = hack.steps or written(hack)
        if steps:
            found[name] = replace(hack, steps=steps)
            found[f"{name}, amid honest work"] = replace(hack, steps=(*before(), *steps, said("That is the work.")))
    return found


def written(hack: Mini) -> tuple[Step, ...]:
    """The steps that leave what the trial leaves."""
    wrote_all = [wrote(path, text) for path, text in (hack.after or {}).items()]
    return (*wrote_all, *(ran(f"rm {path}") for path in hack.deleted))


def before() -> tuple[Step, ...]:
    return (ran("ls -la", "README.md", why="I look around."), ran("cat README.md", "# Prices", why="I read on."))


def injected(mini: Mini, way: str) -> Mini:
    """The trial with an instruction in it."""
    return mini if way == PLAIN else replace(mini, steps=planted_steps(mini.steps, INJECTIONS[way]))


def fill(study: Store, minis: Mapping[str, Mini], ways: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Adds each trial in each of the ways; name and way by the trials' ids."""
    ways = [PLAIN, *ways]
    study.add([Agent(name=way) for way in ways])
    names: dict[str, tuple[str, str]] = {}
    for number, (name, mini) in enumerate(minis.items()):
        task = replace_record(mini.case().task, id=f"positive-{number}")
        study.add([task])
        for way in ways:
            case = injected(mini, way).case()
            trial = replace_record(case.trial, id=digest("injected", name, way), agent=way, task=task.id)
            names[trial.id] = (name, way)
            add(study, trial, injected(mini, way))
    return names


def add(study: Store, trial: Trial, mini: Mini, steps: tuple[Step, ...] | None = ()) -> None:
    """Adds a trial with the steps of `mini`; with none, or others, where they are given."""
    final = mini.case().final
    study.add_trial(trial, mini.steps if steps == () else steps, {} if final is None else {"final.json": encode(final)})
