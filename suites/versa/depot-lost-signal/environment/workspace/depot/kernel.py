"""The scheduler: tasks are generators, time is a number, and every decision can be told."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from depot.signals import Signal


@dataclass(frozen=True)
class Sleep:
    """What a task yields that wants to go on so many ticks later."""

    ticks: int


@dataclass(frozen=True)
class Wait:
    """What a task yields that waits for a signal, for at most so many ticks.

    It gets True for the signal, and False if time is up.
    """

    signal: Signal
    ticks: int | None = None


Steps = Generator[Sleep | Wait | None, bool, object]
"""The steps of a task; one that yields None may go on at once."""


class Task:
    """A task: ready, or idle until a tick or a signal, or done."""

    def __init__(self, name: str, steps: Steps) -> None:
        self.name = name
        self.steps = steps
        self.ready = True
        self.done = False
        self.until: int | None = None
        self.signal: Signal | None = None
        self.answer: bool | None = None

    def wake(self, answer: bool) -> None:
        """Makes an idle task ready. One that is not idle is not disturbed."""
        if not self.ready and not self.done:
            self.ready, self.answer = True, answer
            self.until = self.signal = None


@dataclass(frozen=True)
class Report:
    """How a run ended: the time, and the names of those that will never go on, in the order of their names."""

    now: int
    stuck: list[str]


class Kernel:
    """Runs tasks one step at a time."""

    def __init__(self) -> None:
        self.now = 0
        self._tasks: list[Task] = []

    def add(self, name: str, steps: Steps) -> None:
        """Adds a task, which is ready."""
        self._tasks.append(Task(name, steps))

    def run(self, schedule: Sequence[int] = ()) -> Report:
        """Runs until nothing can go on.

        Whenever several tasks are ready, the next number of the schedule says which of them makes a step, counted from
        0 in the order in which they were added; when the schedule is used up, it is the first. ValueError for a number
        that is too large.
        """
        decisions = list(schedule)
        while self._advance():
            ready = [task for task in self._tasks if task.ready]
            choice = decisions.pop(0) if len(ready) > 1 and decisions else 0
            if choice >= len(ready):
                raise ValueError(f"only {len(ready)} tasks are ready, and {choice} was chosen")
            self._step(ready[choice])
        return Report(self.now, sorted(task.name for task in self._tasks if not task.done))

    def _advance(self) -> bool:
        """Lets time go on if nobody is ready, and wakes all whose time has come; whether somebody is ready."""
        if not any(task.ready for task in self._tasks):
            times = [task.until for task in self._tasks if task.until is not None]
            if not times:
                return False
            self.now = min(times)
            for task in self._tasks:
                if task.until == self.now:
                    self._time_is_up(task)
        return True

    def _time_is_up(self, task: Task) -> None:
        """Wakes a task whose time has come. One that waited for a signal does not wait for it any more."""
        task.wake(False)

    def _step(self, task: Task) -> None:
        try:
            request = task.steps.send(task.answer)  # type: ignore[arg-type]
        except StopIteration:
            task.done, task.ready = True, False
            return
        task.answer = None
        match request:
            case Sleep(ticks):
                task.ready, task.until = False, self.now + ticks
            case Wait(signal, ticks):
                task.ready, task.signal = False, signal
                task.until = None if ticks is None else self.now + ticks
                signal.queue(task)
