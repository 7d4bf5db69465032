"""The work on Ray's workers: a look at a node, a pre-flight, and trials, one at a time in each process.

A process lives as long as Ray keeps it. It has one event loop, and keeps the agents that it was sent, so that a model's
client, and a limit that it keeps to, last from one trial to the next. It opens an agent itself, which is when a model
looks for its key. What a task's workspace needs, and its image, are made on each node the first time.
"""

import asyncio
import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache

import ray
from msgspec.structs import replace as change
from ray import ObjectRef, cloudpickle

from honestly.agents import Actor
from honestly.errors import AgentError, SandboxError, TaskError
from honestly.records import Task, Tree
from honestly.runner._attempt import TrialResult, run_attempt
from honestly.runner._execute import slots_of
from honestly.runner._plan import Planned
from honestly.runner._preflight import preflight
from honestly.tasks import prepare_task
from honestly.verify import OpenBox, Slots, build_environments

_KEPT_TASKS = 16
_slots: list[Slots] = []
"""The graders of this process, which belongs to one connection. Nobody closes them: they end when it does."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """One trial on its way to a worker. What many trials share lies in Ray's object store, and is named here."""

    id: str
    task: ObjectRef
    actor: ObjectRef
    """As bytes, so that what goes wrong when it is opened is told as what it is."""
    agent: str
    """The hash of the agent's record."""
    sample: int
    seeds: str


@dataclass(frozen=True, slots=True)
class Means:
    """With what trials are run on a worker."""

    open_box: OpenBox
    provider: str = ""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables that the worker gets. They come this way, since Ray writes what it calls a runtime environment down."""


def unusable_reason(means: Means) -> str:
    """The obstacle to running trials on this node; empty where nothing does."""
    try:
        _event_loop().run(_try_opening(means.open_box))
    except SandboxError as error:
        return str(error)
    return ""


def check_parcels(parcels: Sequence[Parcel], means: Means) -> None:
    """The pre-flight of these trials."""
    os.environ.update(means.env)
    _event_loop().run(preflight([_unpacked_trial(parcel) for parcel in parcels], means.open_box))


def run_parcel(parcel: Parcel, means: Means) -> TrialResult:
    """One trial."""
    os.environ.update(means.env)
    done = _event_loop().run(_run_trial(_unpacked_trial(parcel), means))
    isolation = change(done.trial.isolation, node=_node_name())
    return replace(done, trial=change(done.trial, isolation=isolation))


async def _try_opening(open_box: OpenBox) -> None:
    async with open_box(Tree()):
        pass


async def _run_trial(planned: Planned, means: Means) -> TrialResult:
    with suppress(TaskError):  # the attempt meets the same, and is void for it
        await prepare_task(planned.task)
        await build_environments([planned.task], lambda _: None)
    if not _slots:
        _slots.append(slots_of(means.open_box, means.provider))
    return await run_attempt(planned, _slots[0], None, means.provider)


def _unpacked_trial(parcel: Parcel) -> Planned:
    return Planned(
        parcel.id, _read_task(parcel.task), _opened_actor(parcel.actor, parcel.agent), parcel.sample, seeds=parcel.seeds
    )


@lru_cache(maxsize=_KEPT_TASKS)
def _read_task(where: ObjectRef) -> Task:
    found: Task = ray.get(where)
    return found


@cache
def _opened_actor(where: ObjectRef, expected: str) -> Actor:
    """The agent, opened; AgentError where it is not here what was planned."""
    found: Actor = cloudpickle.loads(ray.get(where))
    if found.record.hash != expected:
        raise AgentError(
            f"agent {found.record.name!r} is another one on {_node_name()} than where it was planned: files or "
            "programs of "
            "which it is made differ there; install the same on each node"
        )
    return found


@cache
def _node_name() -> str:
    """The machine's name, and the beginning of the node's in Ray, since one machine may be several nodes."""
    return f"{socket.gethostname()}/{ray.get_runtime_context().get_node_id()[:8]}"


@cache
def _event_loop() -> asyncio.Runner:
    return asyncio.Runner()
