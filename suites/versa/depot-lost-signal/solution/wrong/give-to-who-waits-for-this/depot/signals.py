"""Signals: tasks wait for them, others give them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from depot.kernel import Task


class Signal:
    """A queue of tasks that wait for something to happen."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._queue: deque[Task] = deque()

    def queue(self, task: Task) -> None:
        """Puts a task at the end of the queue."""
        self._queue.append(task)

    def leave(self, task: Task) -> None:
        """Takes a task out of the queue."""
        self._queue.remove(task)

    def give(self) -> None:
        """Wakes the task that has waited longest; without anybody waiting, nothing happens."""
        while self._queue:
            task = self._queue.popleft()
            if task.signal is self:
                task.wake(True)
                return

    def give_all(self) -> None:
        """Wakes all that wait now, in the order in which they came."""
        for _ in range(len(self._queue)):
            self.give()
