"""Trials on Ray: each is a task of Ray's with the cores and the memory that it needs; where it runs, Ray says.

Ray that runs on this machine is joined, or one is begun that ends with us. Our code and one's own travel with the
connection (`_ray_connect`), a task and an agent once each into Ray's object store; no file system is shared. Ray never
tries a trial again by itself: one whose process or machine is gone comes back void, and begins once more by the rule of
the runner, with the lost attempt on record.

Before the first trial each node opens a sandbox; one that cannot gets no trials. A node that joins later is believed.
What workers do not share: limits, budgets and caches of models, and the steps of trials in flight.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from logging import getLogger
from typing import TYPE_CHECKING, Any, Self

import anyio
import anyio.to_thread

from honestly.agents import Actor, NeedsSandbox, Run
from honestly.errors import AgentError, HonestlyError, SandboxUnavailableError
from honestly.records import Edit, Outcome, Trial
from honestly.runner._attempt import TrialResult, conditions_here, utc_timestamp
from honestly.runner._execute import in_parallel
from honestly.runner._on import LOST, RayOptions
from honestly.runner._plan import Planned
from honestly.runner._ray_connect import connected_ray
from honestly.sandbox import Limits
from honestly.verify import OpenBox

if TYPE_CHECKING:
    from ray import ObjectRef

    from honestly.runner._ray_worker import Parcel

_LOOK_S, _CANCEL_S = 180.0, 10.0
_AHEAD = 2
"""Trials that Ray is given for each that it has room for, so that no core waits for the next one."""
_MB = 1 << 20


class RayExecutor:
    """Runs trials on Ray, inside `async with`."""

    def __init__(self, open_box: OpenBox, how: RayOptions, jobs: int | None = None, provider: str = "") -> None:
        """An executor.

        Args:
            open_box: opens the trials' sandboxes, on the workers; it is pickled.
            how: which Ray, and what of it each trial gets.
            jobs: trials that Ray is given at a time; None for twice as many as its nodes have room for.
            provider: who `open_box` is, where somebody named it; kept with every trial.
        """
        self._open_box, self._how, self._jobs, self._provider = open_box, how, jobs, provider
        self._stack = ExitStack()
        self._where: dict[str, Any] = {}
        self._shipped: dict[int, tuple[object, ObjectRef, str]] = {}
        self._flying: set[ObjectRef] = set()
        self._losses = Counter[str]()

    async def __aenter__(self) -> Self:
        """Connects, which takes seconds, and looks at the nodes.

        Raises:
            HonestlyError: Ray cannot be joined.
            SandboxUnavailableError: on no node can a sandbox be opened.
        """
        if missing := [name for name in self._how.env if name not in os.environ]:
            raise HonestlyError(
                f"--on ray: env names {', '.join(missing)}, which is not set here; set it or leave it out"
            )
        with ExitStack() as stack:
            # Here and not in a thread: what Ray starts ends with the thread that started it.
            self._ray = stack.enter_context(connected_ray(self._how.address))
            from honestly.runner import _ray_worker as worker

            env = {name: os.environ[name] for name in self._how.env}
            self._means = worker.Means(self._open_box, self._provider, env)
            self._look, self._check, self._work = map(
                self._ray.remote(max_retries=0), (worker.unusable_reason, worker.check_parcels, worker.run_parcel)
            )
            self._nodes = await self._usable_nodes()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._shipped.clear()
        self._stack.close()

    async def preflight(self, todo: Sequence[Planned]) -> None:
        """The pre-flight of `honestly.runner.preflight`, on a worker."""
        firsts = {id(planned.actor): planned for planned in reversed(todo)}
        parcels = [self._trial_parcel(planned) for planned in firsts.values()]
        await self._task_result(self._check.options(num_cpus=0, **self._where).remote(parcels, self._means))

    @asynccontextmanager
    async def submit(self, trials: AsyncIterable[Planned]) -> AsyncIterator[AsyncIterator[TrialResult]]:
        """Context in which `trials` run; they are given to Ray in their order."""
        cpus = self._how.cpus or 1.0
        room = sum(int(resources.get("CPU", 0) / cpus) for resources in self._nodes)
        try:
            async with in_parallel(trials, self._jobs or max(1, room) * _AHEAD, self._run_planned) as results:
                yield results
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._abandon_trials)

    async def _usable_nodes(self) -> list[dict[str, float]]:
        """The resources of the nodes on which a sandbox can be opened; the others are named, and
        avoided from now on.
        """
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        nodes = [node for node in self._ray.nodes() if node["Alive"]]
        refused: dict[str, str] = {}

        async def look(node: str, name: str) -> None:
            there = NodeAffinitySchedulingStrategy(node, soft=False)
            trouble = f"no answer within {_LOOK_S:g} s"
            with anyio.move_on_after(_LOOK_S):
                try:
                    trouble = await self._task_result(
                        self._look.options(num_cpus=0, scheduling_strategy=there).remote(self._means)
                    )
                except Exception as error:  # noqa: BLE001 - Ray's, or what a node without our packages raises
                    trouble = (str(error).strip() or type(error).__name__).splitlines()[-1]
            if trouble:
                refused[node] = f"{name}/{node[:8]}: {trouble}"

        async with anyio.create_task_group() as group:
            for node in nodes:
                group.start_soon(look, node["NodeID"], node["NodeManagerHostname"])
        if len(refused) == len(nodes):
            raise SandboxUnavailableError(f"no node of Ray can run trials: {'; '.join(refused.values())}")
        for trouble in refused.values():
            getLogger("honestly").warning("this node gets no trials: %s", trouble)
        if refused:
            self._where = {"label_selector": {"ray.io/node-id": f"!in({','.join(refused)})"}}
        return [node["Resources"] for node in nodes if node["NodeID"] not in refused]

    async def _run_planned(self, planned: Planned) -> TrialResult:
        from ray import exceptions as gone

        begun = utc_timestamp()
        cpus, memory = self._trial_share(planned)
        trial = self._work.options(num_cpus=cpus, memory=memory, name=f"trial of {planned.task.id}", **self._where)
        try:
            found: TrialResult = await self._task_result(trial.remote(self._trial_parcel(planned), self._means))
            return found
        except (
            gone.WorkerCrashedError,
            gone.NodeDiedError,
            gone.LocalRayletDiedError,
            gone.OutOfMemoryError,
            gone.ObjectLostError,
        ) as error:
            self._losses[planned.id] += 1
            return lost_attempt(planned, begun, error, again=self._losses[planned.id] == 1)

    async def _task_result(self, ref: ObjectRef) -> Any:  # noqa: ANN401 - what the function returned
        """The result of a task of Ray's; where it raised an error of ours, that."""
        from ray.exceptions import RayTaskError

        self._flying.add(ref)
        try:
            found = await ref
        except Exception as error:  # noqa: BLE001  (raised again, as what it is)
            self._flying.discard(ref)
            cause = getattr(error, "cause", None) if isinstance(error, RayTaskError) else None
            raise (cause if isinstance(cause, HonestlyError) else error) from None
        self._flying.discard(ref)
        return found

    def _abandon_trials(self) -> None:
        """Ends trials that nobody waits for any more: with time to close their sandboxes, and then without."""
        refs = list(self._flying)
        self._flying.clear()
        for force in (False, True):
            for ref in refs:
                self._ray.cancel(ref, force=force)
            refs = self._ray.wait(refs, num_returns=len(refs), timeout=_CANCEL_S)[1] if refs else []

    def _trial_share(self, planned: Planned) -> tuple[float, int]:
        """Cores and bytes that Ray sets aside for a trial; never more than its largest node has."""
        limits = planned.actor.needs.limits if isinstance(planned.actor, NeedsSandbox) else Limits()
        asked = planned.task.environment
        memory_mb = (asked and asked.memory_mb) or max(limits.memory_mb, planned.task.preparation.memory_mb or 0)
        memory_mb += (asked and asked.storage_mb) or limits.disk_mb  # its files lie in memory
        cpus = self._how.cpus or (asked and asked.cpus) or 1.0
        most = {name: max(node.get(name, 0) for node in self._nodes) for name in ("CPU", "memory")}
        return min(cpus, most["CPU"]), int(min((self._how.memory_mb or memory_mb) * _MB, most["memory"]))

    def _trial_parcel(self, planned: Planned) -> Parcel:
        from honestly.runner._ray_worker import Parcel

        task, _ = self._stored_once(planned.task, lambda: (planned.task, ""))
        actor, record = self._stored_once(planned.actor, lambda: _packed_actor(planned.actor))
        return Parcel(planned.id, task, actor, record, planned.sample, planned.seeds)

    def _stored_once(self, what: object, pack: Callable[[], tuple[object, str]]) -> tuple[ObjectRef, str]:
        """Where something lies in Ray's object store, put there the first time; and a word that goes with it."""
        if id(what) not in self._shipped:
            packed, word = pack()
            self._shipped[id(what)] = what, self._ray.put(packed), word
        return self._shipped[id(what)][1:]


def lost_attempt(planned: Planned, begun: str, error: Exception, *, again: bool) -> TrialResult:
    """A void trial in the place of one of which nothing came back.

    Args:
        planned: which.
        begun: when it was given away.
        error: what is known of its end.
        again: whether it may begin once more by itself.
    """
    run = Run(task=planned.task.public(), seed=planned.agent_seed)
    run.stop = f"{LOST}: {type(error).__name__}: {' '.join(str(error).split())}"[:300]
    trial = Trial(
        id=planned.id,
        agent=planned.actor.record.name,
        task=planned.task.id,
        sample=planned.sample,
        outcome=Outcome.VOID,
        reason=run.stop,
        started_at=begun,
    )
    nothing = Edit.between(planned.task.workspace, planned.task.workspace)
    return TrialResult(trial, run.trajectory(), nothing, conditions_here(), passing=again, lost=True)


def _packed_actor(actor: Actor) -> tuple[bytes, str]:
    """An agent as bytes, and the hash of its record; AgentError where it cannot be pickled."""
    from ray import cloudpickle

    try:
        return cloudpickle.dumps(actor), actor.record.hash
    except Exception as error:  # whatever an object of somebody's raises when it is pickled
        raise AgentError(
            f"agent {actor.record.name!r} cannot travel to Ray's workers: {error}; an agent and its model must be "
            "picklable: hold no open file, lock or connection"
        ) from error
