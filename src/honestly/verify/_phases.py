"""Phases: either agents are at work on this machine, or work is judged, and never both.

What runs at one time may talk, whatever the walls are: hidden checks, or work that was left to run beside them, could
tell an agent that is still at work what it will be judged by. So while work is judged every sandbox in which an agent
is at work stands still (`PausableSandbox.pause`), also those of other programs of the same user on this machine. In one
phase, a task is judged once: two trials of one task are never judged at one time, nor with a third one that could
carry from the one to the other.

The time of a pause is nobody's: the deadlines of commands, of agents and of trials move with it. An agent's model goes
on answering meanwhile. So that pauses are few and short, a trial that is ready waits for others (`_GATHER_S`) while
agents are at work, and after a pause they work at least as long as it took.

Programs agree by locks on three files in a folder of the user's, which the kernel frees with whoever holds them: the
one that judges, or wants to, holds `judge`; `work` is shared by all whose agents are at work, and held alone by the one
that judges; `wait` is shared by those whose agents stand still or wait to begin, or who wait to judge, to whom a judge
leaves room between two phases. A phase for which nobody waits takes in whatever may still be judged in it.

A pause does not make deaf: an agent that stands still sees afterwards how far numbers of the whole machine have moved
(of pipes, of sessions), and work that is judged can move them. So work on a task is judged only when no agent is within
its work on that task, and none begins to as long as some waits: what is heard is about other tasks.

Not covered: agents in sandboxes that cannot be paused (containers of Docker and Podman, pods, no isolation), and those
of other users or on other machines.
"""

from __future__ import annotations

import fcntl
import math
import os
import socket
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import cache
from logging import getLogger
from pathlib import Path

import anyio
import anyio.lowlevel

from honestly._group import flat_group
from honestly.errors import SandboxError
from honestly.sandbox import PausableSandbox, Sandbox, keep_clock_steady, pausable_box
from honestly.work import user_folder

_GATHER_S = 0.5
"""How long a trial that could be judged waits for others, while agents are at work."""
_LONGEST_S = 5.0
"""After which nothing more begins in a phase for whose end somebody waits."""
_SHORTEST_S = 0.1
"""How long agents work at least between two phases."""
_CROWD = 8
"""Trials that gather for a phase, for each that is judged at a time."""
_PATIENCE_S = 30.0
"""After which it is said that another program does not give way."""
_SILENT_S, _DEAD_S = 1.0, 3600.0
"""After which nobody waits for a program that waits and says nothing; and its file in the queue is removed."""
_GLANCE_S, _LOOK_S = 0.01, 0.05
"""How often who waits for another program looks whether it may go on, and who works whether another wants to judge."""


def side_by_side_is_safe() -> bool:
    """Whether hidden checks may run while agents are at work: no.

    The one place to say otherwise, for a machine on which every way to pass something on at one time was tried and
    nothing came through. Numbers of pipes and sockets are counters of the whole machine, which no wall hides.
    """
    return False


_SHARED: ContextVar[tuple[object, Phases] | None] = ContextVar("_SHARED", default=None)
"""The shared phases around what runs, with their event loop."""


class Phases:
    """The phases of one program; made by `open_phases`."""

    def __init__(self, folder: Path | None, judged: float) -> None:
        self._judge, self._work, self._wait = (_Lock(folder, name) for name in ("judge", "work", "wait"))
        self._queue = _Queue(folder)
        self._hall, self._room = anyio.CapacityLimiter(_CROWD * judged), anyio.CapacityLimiter(judged)
        self._wake, self._changed = anyio.Event(), anyio.Event()
        self._phase = "idle"
        """`idle`, `work`, `judge`; or `between`, while agents stand still and nothing is judged."""
        self._boxes: dict[PausableSandbox, str] = {}
        """In which agents are at work, or stand still, with their tasks."""
        self._beginning = self._judging = 0
        self._ready: dict[object, tuple[float, frozenset[str]]] = {}
        """What waits to be judged: since when, and on which tasks."""
        self._judged: set[str] = set()
        """Tasks of the present phase."""
        self._began = self._not_before = 0.0
        self._said = -math.inf
        self._claimed = self.ended = False
        """Whether the lock to judge is ours, and that to work not yet."""

    # agents

    def agent_place(self, task: str = "") -> Place:
        """Context around the whole life of the sandbox of an agent that works on a task."""
        return Place(self, task)  # no generator, here and in `phases_of`: each trial in flight would hold it

    async def begin(self, box: PausableSandbox, task: str) -> None:
        """Wait until agents may work, and no work on the task waits to be judged; from now on this one does."""
        self._beginning += 1
        try:
            while any(task in tasks for _, tasks in self._ready.values()) or not self._may_work():
                await self._next_phase()
        finally:
            self._beginning -= 1
            self._stop_waiting()
        self._boxes[box] = task

    def end(self, box: PausableSandbox) -> None:
        """Forget a sandbox in which an agent has worked."""
        self._boxes.pop(box, None)
        if not self._boxes and self._phase == "work":
            self._work.free_lock()
            self._enter_phase("idle")

    def _is_busy(self, tasks: Iterable[str]) -> bool:
        """Whether an agent is within its work on one of these tasks."""
        return not frozenset(tasks).isdisjoint(filter(None, self._boxes.values()))

    def _may_work(self) -> bool:
        if self._phase == "idle" and not self._claimed and self._judge.take_lock(alone=False):
            # Taken for a moment: nobody judges, and nobody who wants to waits for our agents to stand still.
            if self._work.take_lock(alone=False):
                self._enter_phase("work")
            self._judge.free_lock()
        if self._phase == "idle":
            self._wait.take_lock(alone=False)
        return self._phase == "work"

    # what is judged

    @asynccontextmanager
    async def judging(self, *tasks: str) -> AsyncIterator[None]:
        """Context in which work on tasks is judged, while no agent is at work; may wait."""
        async with self._hall:
            ticket = object()
            self._ready[ticket] = anyio.current_time(), frozenset(tasks)
            try:
                while not await self._begins(ticket, tasks):
                    pass
            finally:
                del self._ready[ticket]
                if not self._ready:
                    self._queue.leave()
                    self._stop_waiting()
                if self._beginning:
                    self._enter_phase(self._phase)  # who waits for this task to be judged looks again
            try:
                yield
            finally:
                self._room.release_on_behalf_of(ticket)
                self._judging -= 1
                self._end_judging()

    async def _begins(self, ticket: object, tasks: Iterable[str]) -> bool:
        """Wait for a phase, and for a place in it; whether there was one before it had lasted too long."""
        while not self._may_judge(tasks):
            await self._next_phase()
        self._judging += 1
        self._judged.update(tasks)
        begins = False
        try:
            await self._room.acquire_on_behalf_of(ticket)
            begins = self._takes_more()
            if not begins:
                self._room.release_on_behalf_of(ticket)
        finally:
            if not begins:
                self._judging -= 1
                self._end_judging()
        return begins

    def _takes_more(self) -> bool:
        """Whether more may begin in this phase; its time counts from now where nobody waits for its end."""
        now = anyio.current_time()
        if now > self._began + _LONGEST_S and not self._boxes and self._is_alone():
            self._began = now
        return now <= self._began + _LONGEST_S

    def _is_alone(self) -> bool:
        """Whether nobody waits to begin, here or in another program; while no agent of ours is at work."""
        alone = self._wait.take_lock(alone=True)
        self._wait.free_lock()
        return alone and not self._beginning

    def _stop_waiting(self) -> None:
        if self._phase in ("idle", "work") and not (self._ready or self._beginning):
            self._wait.free_lock()

    def _may_judge(self, tasks: Iterable[str]) -> bool:
        if self._phase == "idle" and self._is_our_turn():
            self._try_to_judge()
        if self._phase == "idle":
            self._wait.take_lock(alone=False)  # whoever has just judged leaves room
        free = self._judged.isdisjoint(tasks) and not self._is_busy(tasks)
        return self._phase == "judge" and free and self._takes_more()

    def _try_to_judge(self) -> None:
        # First the one lock, which keeps others from beginning to work; then the other, when those at work stand still.
        if not self._claimed and self._queue.is_first() and self._judge.take_lock(alone=True):
            self._queue.leave()
            self._claimed, self._began = True, anyio.current_time()
        if self._claimed and self._work.take_lock(alone=True):
            self._claimed, self._began = False, anyio.current_time()
            self._judged.clear()
            if not self._boxes:
                self._wait.free_lock()
            self._enter_phase("judge")

    def _end_judging(self) -> None:
        """End the phase if all is judged that can be in it."""
        if self._phase != "judge" or self._judging:
            return
        now = anyio.current_time()
        self._not_before = now + max(now - self._began, _SHORTEST_S)
        self._work.free_lock()
        self._judge.free_lock()
        self._enter_phase("between" if self._boxes else "idle")

    def _is_our_turn(self) -> bool:
        """Whether no agent waits that has not worked as long as the last phase took; while none of ours is at work."""
        if self._claimed or anyio.current_time() >= self._not_before:
            return True
        return self._is_alone()

    # from phase to phase

    def _enter_phase(self, phase: str) -> None:
        self._phase = phase
        changed, self._changed = self._changed, anyio.Event()
        changed.set()
        self._wake.set()

    async def _next_phase(self) -> None:
        changed = self._changed
        self._wake.set()
        await changed.wait()

    async def conduct_phases(self) -> None:
        """Change phases where that takes time, or other programs, for as long as this one lives."""
        try:
            while True:
                # Seconds until something may be due of which nobody here tells.
                if self._phase == "work":
                    wait_seconds = _LOOK_S
                else:
                    waiting = self._phase == "between" or self._ready or self._beginning or self._claimed
                    wait_seconds = _GLANCE_S if waiting and self._phase != "judge" else math.inf
                with anyio.move_on_after(wait_seconds):
                    await self._wake.wait()
                self._wake = anyio.Event()
                await self._step_phase()
        finally:
            await self._resume()
            for each in (self._judge, self._work, self._wait, self._queue):
                each.close()

    async def _step_phase(self) -> None:
        now = anyio.current_time()
        since = [since for since, tasks in self._ready.values() if not self._is_busy(tasks)]
        due = bool(since) and now >= max(min(since) + _GATHER_S, self._not_before)
        if self._phase == "work":
            # Another program has taken it, and waits until our agents stand still.
            wanted = not self._judge.take_lock(alone=False)
            self._judge.free_lock()
            if due or wanted:
                # Let all agents stand still; a sandbox in which something goes on is closed.
                self._wait.take_lock(alone=False)
                self._enter_phase("between")
                async with anyio.create_task_group() as group:
                    for box in list(self._boxes):
                        group.start_soon(_stand_still, box)
                self._work.free_lock()
        elif self._phase == "between" and (due or self._claimed):
            self._try_to_judge()
        elif self._phase == "between" and self._judge.take_lock(alone=False):
            free = not self._boxes or self._work.take_lock(alone=False)
            self._judge.free_lock()
            if free:
                await self._resume()
        elif self._phase == "idle" and self._ready and self._is_our_turn():
            self._try_to_judge()
            self._say_who_waits(min(since, default=now), now)
        elif self._phase == "idle" and self._beginning:
            self._may_work()
        if self._claimed and not self._ready:
            self._claimed = False
            self._judge.free_lock()
        elif self._claimed and now > self._began + _PATIENCE_S:
            self._began = math.inf  # said once
            getLogger("honestly").warning(
                "work cannot be judged as long as another program of yours, in which agents are at work, does not let "
                "them stand still: is one stopped? Continue or end it (`fuser %s` names it)",
                self._work.path,
            )

    def _say_who_waits(self, since: float, now: float) -> None:
        if self._phase == "idle" and not self._claimed and now > max(since, self._said) + _PATIENCE_S:
            self._said = math.inf  # once
            getLogger("honestly").warning(
                "waiting for other programs of yours that judge work here; a turn lasts until what began in it is "
                "judged (`fuser %s` names them)",
                self._judge.path,
            )

    async def _resume(self) -> None:
        with anyio.CancelScope(shield=True):
            for box in list(self._boxes):
                with suppress(SandboxError):  # it is closed, or being closed
                    await box.resume()
        self._wait.free_lock()
        if not self._boxes:
            self._work.free_lock()
        self._enter_phase("work" if self._boxes else "idle")


class Place:
    """Where an agent's sandbox is known to the phases; made by `Phases.agent_place`."""

    def __init__(self, phases: Phases, task: str) -> None:
        self._phases, self._task = phases, task
        self.box: PausableSandbox | None = None

    async def __aenter__(self) -> Place:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.box is not None:
            self._phases.end(self.box)

    async def begin(self, box: Sandbox) -> None:
        """Wait until agents may work; from now on one does, in this sandbox."""
        if (found := pausable_box(box)) is not None and not side_by_side_is_safe():
            await self._phases.begin(found, self._task)
            self.box = found


@asynccontextmanager
async def open_phases(judged: float = math.inf, *, shared: bool = False) -> AsyncIterator[Phases]:
    """Phases in which this program and others of the same user take turns.

    Args:
        judged: works that are judged at a time.
        shared: whether phases that are opened inside of these are these; by locks of their own they would take turns.
    """
    loop = anyio.lowlevel.current_token()
    around = _SHARED.get()
    if around is not None and around[0] == loop and not around[1].ended:
        yield around[1]
        return
    try:
        # Where programs of one user find each other: by machine, since a home may be that of many.
        folder = user_folder("state") / "turns" / socket.gethostname()
        folder.mkdir(0o700, parents=True, exist_ok=True)
        phases = Phases(folder, judged)
    except (OSError, RuntimeError) as error:  # it cannot be made, or the user has no home
        _say_alone(str(error))
        phases = Phases(None, judged)
    async with flat_group() as group:
        group.start_soon(keep_clock_steady)
        group.start_soon(phases.conduct_phases)
        if shared:
            _SHARED.set((loop, phases))
        try:
            yield phases
        finally:
            phases.ended = True
        group.cancel_scope.cancel()


def phases_of(open_box: object) -> AbstractAsyncContextManager[Phases]:
    """The phases of slots, or temporary ones."""
    found = getattr(open_box, "phases", None)
    return nullcontext(found) if isinstance(found, Phases) else open_phases()


@asynccontextmanager
async def at_work(open_box: object, opening: AbstractAsyncContextManager[Sandbox]) -> AsyncIterator[Sandbox]:
    """A sandbox for an agent, which is paused while work is judged in these phases."""
    async with phases_of(open_box) as phases, phases.agent_place() as place, opening as box:
        await place.begin(box)
        yield box


async def _stand_still(box: PausableSandbox) -> None:
    try:
        await box.pause()
    except SandboxError:
        await box.close()


@cache
def _say_alone(error: str) -> None:
    getLogger("honestly").warning(
        "no locks can be made (%s), so agents of your other programs may be at work while work is judged; set "
        "XDG_STATE_HOME to a folder of your own",
        error,
    )


class _Queue:
    """Programs that wait to judge, the first one first: an empty file each, named after when it came.

    Whoever waits touches its own file with every look. Files that are much older than that are of programs that are
    dead or stopped, and nobody waits for those.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder, self._own = folder and folder / "queue", ""

    def is_first(self) -> bool:
        """Whether nobody else has waited longer; from now on this program waits."""
        if self._folder is None:
            return True
        try:
            if not self._own:
                self._folder.mkdir(exist_ok=True)
                self._own = f"{time.clock_gettime_ns(time.CLOCK_BOOTTIME):020d}-{os.getpid()}-{id(self)}"
            own = self._folder / self._own
            own.touch()
            now = own.stat().st_mtime
            for before in sorted(self._folder.iterdir()):
                if before.name >= self._own:
                    break
                with suppress(FileNotFoundError):
                    silent_s = now - before.stat().st_mtime
                    if silent_s < _SILENT_S:
                        return False
                    if silent_s > _DEAD_S:
                        before.unlink()
            return True
        except OSError:  # a full disk, say: who comes first is then a matter of luck
            return True

    def leave(self) -> None:
        """Wait no more."""
        if self._own and self._folder is not None:
            with suppress(OSError):
                (self._folder / self._own).unlink()
        self._own = ""

    close = leave


class _Lock:
    """A lock on a file, shared or held alone; without a folder, only this program's."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self._fd, self.path = -1, folder and folder / name
        if folder is not None:
            self._fd = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take_lock(self, *, alone: bool) -> bool:
        """Take it, or change how it is held; False where somebody else has it."""
        if self._fd < 0:
            return True
        try:
            fcntl.flock(self._fd, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def free_lock(self) -> None:
        if self._fd >= 0:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
