"""All attacks, in the order of the table."""

from . import disk, equality, exits, imports, introspection, network, output, patching, processes, resources, wire
from .attack import Attack

__all__ = ["ATTACKS", "QUICK"]

_FAMILIES = (exits, equality, introspection, patching, imports, disk, processes, resources, network, wire, output)

ATTACKS: tuple[Attack, ...] = tuple(attack for family in _FAMILIES for attack in family.ATTACKS)
QUICK: frozenset[str] = frozenset(family.ATTACKS[0].name for family in _FAMILIES)
"""One of each family, for `make test`; `make test-all` runs every one."""
