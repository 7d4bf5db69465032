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
