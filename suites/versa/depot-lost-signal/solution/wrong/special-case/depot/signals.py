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

    def give(self) -> None:
        """Wakes the task that has waited longest; without anybody waiting, nothing happens."""
        if self._queue:
            self._queue.popleft().wake(True)

    def give_all(self) -> None:
        """Wakes all that wait now, in the order in which they came."""
        for _ in range(len(self._queue)):
            self.give()
