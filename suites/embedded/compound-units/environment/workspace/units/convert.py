"""Converting values from one unit to another."""

from fractions import Fraction

from units.errors import IncompatibleUnits
from units.table import find


def convert(value: int | Fraction, source: str, target: str) -> Fraction:
    """The value, given in the unit `source`, in the unit `target`; exact.

    Raises UnknownUnit for a name that is not in the table, and IncompatibleUnits when the two units do not measure
    the same thing.
    """
    first, second = find(source), find(target)
    if first.dimension != second.dimension:
        raise IncompatibleUnits(f"{source!r} cannot be converted into {target!r}")
    return (value * first.factor + first.offset - second.offset) / second.factor
