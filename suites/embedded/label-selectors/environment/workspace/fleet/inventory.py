"""The machines there are."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from fleet.selector import parse


@dataclass(frozen=True)
class Machine:
    """One machine and its labels."""

    name: str
    labels: dict[str, str] = field(default_factory=dict)


def find(machines: Iterable[Machine], selector: str) -> list[str]:
    """The names of the machines that a selector matches, in order; SelectorError if it is none."""
    chosen = parse(selector)
    return sorted(machine.name for machine in machines if chosen.matches(machine.labels))
