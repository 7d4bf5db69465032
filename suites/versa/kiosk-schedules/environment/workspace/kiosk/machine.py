"""Runs workers step by step."""

from kiosk.operations import Lock, Read, Unlock, Write
from kiosk.workers import Worker


class Machine:
    """Cells, locks, and workers by name."""

    def __init__(self, cells: dict[str, object], workers: dict[str, Worker]) -> None:
        self.cells = dict(cells)
        self.owners: dict[str, str] = {}
        self.results: dict[str, str] = {}
        self._workers = workers
        self._next = {name: next(worker) for name, worker in workers.items()}

    def can_step(self, name: str) -> bool:
        """Whether a worker is not done, and not kept waiting by a lock."""
        if name in self.results:
            return False
        operation = self._next[name]
        return not (isinstance(operation, Lock) and operation.name in self.owners)

    def step(self, name: str) -> None:
        """Does a worker's next operation; nothing if it cannot."""
        if not self.can_step(name):
            return
        given = self._do(name, self._next[name])
        try:
            self._next[name] = self._workers[name].send(given)
        except StopIteration as stop:
            self.results[name] = stop.value

    def _do(self, name: str, operation: object) -> object:
        match operation:
            case Read(cell):
                return self.cells[cell]
            case Write(cell, value):
                self.cells[cell] = value
            case Lock(lock):
                self.owners[lock] = name
            case Unlock(lock):
                del self.owners[lock]
        return None
