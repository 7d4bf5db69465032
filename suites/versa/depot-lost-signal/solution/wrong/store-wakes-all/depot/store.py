"""A store of goods that lorries wait for."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator

from depot.kernel import Kernel, Sleep, Wait
from depot.signals import Signal


class Store:
    """Goods, first in, first out. What is put in wakes the lorry that has waited longest."""

    def __init__(self, kernel: Kernel, name: str = "store") -> None:
        self.goods: deque[str] = deque()
        self._kernel = kernel
        self._arrival = Signal(f"{name}: arrival")

    def put(self, good: str) -> None:
        """Puts a good into the store."""
        self.goods.append(good)
        self._arrival.give_all()

    def take(self, patience: int | None = None) -> Generator[Sleep | Wait | None, bool, str | None]:
        """Takes the oldest good; waits for one, for at most `patience` ticks, and gives None if none came.

        A task that comes just in time may be quicker than one that was woken; that one goes on waiting then, at the end
        of the queue, for the rest of its time.
        """
        end = None if patience is None else self._kernel.now + patience
        while not self.goods:
            left = None if end is None else end - self._kernel.now
            if left is not None and left <= 0:
                return None
            yield Wait(self._arrival, left)
        return self.goods.popleft()
