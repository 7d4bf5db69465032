"""Signals: tasks wait for them, others give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from depot.kernel import Task


class Signal:
    """Tasks that wait for something to happen. Some may have given up since, or wait elsewhere: they are passed over."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._line: dict[int, Task] = {}

    def queue(self, task: Task) -> None:
        """Puts a task at the end, also if it stood somewhere before."""
        self._line.pop(id(task), None)
        self._line[id(task)] = task

    def _takes(self, task: Task) -> bool:
        if still_here := task.signal is self:
            task.wake(True)
        return still_here

    def give(self) -> None:
        """Wakes the task that has waited longest; without anybody waiting, nothing happens."""
        for key, task in [*self._line.items()]:
            del self._line[key]
            if self._takes(task):
                break

    def give_all(self) -> None:
        """Wakes all that wait now, in the order in which they came."""
        line, self._line = self._line, {}
        for task in line.values():
            self._takes(task)
