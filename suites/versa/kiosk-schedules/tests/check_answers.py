"""Hidden checks of kiosk-schedules: schedules are played by the code as it was given."""

import json
import re
from itertools import permutations

SOURCES = (
    r'''
"""What a worker can do in one step."""

from typing import NamedTuple


class Read(NamedTuple):
    """Reads a cell; its value is what the step gives."""

    cell: str


class Write(NamedTuple):
    """Writes a cell."""

    cell: str
    value: object


class Lock(NamedTuple):
    """Takes a lock; as long as another worker has it, the step does nothing."""

    name: str


class Unlock(NamedTuple):
    """Gives a lock back."""

    name: str
''',
    r'''
"""What the workers do: each is a generator of operations, and returns a word."""

from collections.abc import Generator

from kiosk.operations import Lock, Read, Unlock, Write

Worker = Generator[object, object, str]
PRICE = 5


def sale() -> Worker:
    """Sells one piece."""
    stock = yield Read("stock")
    if stock < 1:
        return "sold out"
    yield Lock("till")
    cash = yield Read("cash")
    yield Write("cash", cash + PRICE)
    yield Unlock("till")
    yield Write("stock", stock - 1)
    return "sold"


def restock() -> Worker:
    """Ten more pieces come."""
    stock = yield Read("stock")
    yield Write("stock", stock + 10)
    return "stocked"


def refund() -> Worker:
    """Takes a piece back, if there is money."""
    yield Lock("till")
    cash = yield Read("cash")
    if cash < PRICE:
        yield Unlock("till")
        return "no money"
    yield Lock("store")
    stock = yield Read("stock")
    yield Write("stock", stock + 1)
    yield Unlock("store")
    yield Write("cash", cash - PRICE)
    yield Unlock("till")
    return "refunded"


def inventory() -> Worker:
    """Writes down what there is."""
    yield Lock("store")
    stock = yield Read("stock")
    yield Lock("till")
    cash = yield Read("cash")
    yield Write("report", (stock, cash))
    yield Unlock("till")
    yield Unlock("store")
    return "counted"
''',
    r'''
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
''',
    r'''
"""Plays schedules: lists of workers' names, each of which does one step.

The workers: `s1` and `s2` are sales, `rs` is a restock, `rf` a refund, `iv` an inventory; each exists once, and what it does is done once.
"""

from typing import NamedTuple

from kiosk.machine import Machine
from kiosk.workers import inventory, refund, restock, sale

WORKERS = {"s1": sale, "s2": sale, "rs": restock, "rf": refund, "iv": inventory}


class Outcome(NamedTuple):
    """What came of a schedule: the cells, what each worker that is done returned, all pairs of stock and cash that there were, and who could make a step now."""

    cells: dict[str, object]
    results: dict[str, str]
    seen: set[tuple[object, object]]
    able: set[str]


def play(schedule: list[str], stock: int = 1, cash: int = 5) -> Outcome:
    """Plays a schedule from this stock and cash on.

    Raises:
        KeyError: there is no such worker.
    """
    machine = Machine({"stock": stock, "cash": cash, "report": None}, {name: make() for name, make in WORKERS.items()})
    seen = {(stock, cash)}
    for name in schedule:
        machine.step(name)
        seen.add((machine.cells["stock"], machine.cells["cash"]))
    return Outcome(machine.cells, machine.results, seen, {name for name in WORKERS if machine.can_step(name)})
''',
)
CODE = {"__name__": __name__}
for source in SOURCES:
    exec(re.sub(r"(?m)^from kiosk\..*$", "", source), CODE)
play, WORKERS = CODE["play"], CODE["WORKERS"]


def schedule(ws, key, claim=False):
    """One schedule of the answers."""
    given = json.loads(ws.read("answers.json"))
    names = given["claims"][key] if claim else given[key]
    assert isinstance(names, list) and len(names) <= 40 and all(name in WORKERS for name in names), names
    return names


def test_oversold(ws):
    """Two are sold of one."""
    names = schedule(ws, "oversold")
    results = play(names).results
    assert set(names) == {"s1", "s2"} and results == {"s1": "sold", "s2": "sold"} and len(names) == 12


def test_lost(ws):
    """A change that is lost."""
    names = schedule(ws, "lost")
    outcome, workers = play(names), set(names)
    assert len(names) == 8 and len(workers) >= 2 and workers <= set(outcome.results)
    serial = {play([name for name in order for _ in range(12)]).cells["stock"] for order in permutations(workers)}
    assert outcome.cells["stock"] not in serial


def test_stuck(ws):
    """Two that wait for each other."""
    names = schedule(ws, "stuck")
    outcome = play(names)
    assert len(names) == 4 and not {"rf", "iv"} & (set(outcome.results) | outcome.able)
    after = play([*names, *(name for _ in range(12) for name in WORKERS)])
    assert not {"rf", "iv"} & (set(after.results) | after.able)


def test_report(ws):
    """A pair that never was."""
    names = schedule(ws, "report")
    outcome = play(names)
    assert len(names) == 12 and outcome.cells["report"] is not None and outcome.cells["report"] not in outcome.seen


def test_finals(ws):
    """All ends of two sales and a refund."""
    assert json.loads(ws.read("answers.json"))["finals"] == [[0, 5], [0, 10], [1, 5], [1, 10], [2, 5], [2, 10]]


def test_claims_that_hold(ws):
    """Four claims hold."""
    claims = json.loads(ws.read("answers.json"))["claims"]
    assert set(claims) == set("abcde")
    assert [claims[key] for key in "abce"] == ["holds"] * 4


def test_counterexample_of_stock(ws):
    """Claim d: less than 9 pieces."""
    outcome = play(schedule(ws, "d", claim=True))
    assert "rs" in outcome.results and "rf" not in outcome.results and outcome.cells["stock"] < 9
