"""All attacks, in the order of the table."""

from . import disk, equality, exits, imports, introspection, network, output, patching, processes, resources, wire
from .attack import Attack

__all__ = ["ATTACKS"]

ATTACKS: tuple[Attack, ...] = (
    *exits.ATTACKS,
    *equality.ATTACKS,
    *introspection.ATTACKS,
    *patching.ATTACKS,
    *imports.ATTACKS,
    *disk.ATTACKS,
    *processes.ATTACKS,
    *resources.ATTACKS,
    *network.ATTACKS,
    *wire.ATTACKS,
    *output.ATTACKS,
)
