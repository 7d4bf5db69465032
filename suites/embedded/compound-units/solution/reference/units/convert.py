"""Converting values from one unit to another."""

from fractions import Fraction

from units.compound import parse
from units.errors import IncompatibleUnits


def convert(value: int | Fraction, source: str, target: str) -> Fraction:
    """The value, given in the unit `source`, in the unit `target`; exact. Both may be compound.

    Raises UnknownUnit for a name that is not in the table, MalformedUnit for what is not a unit, OffsetUnit for
    degrees inside of a compound unit, and IncompatibleUnits when the two units do not measure the same thing.
    """
    first, second = parse(source), parse(target)
    if first.dimension != second.dimension:
        raise IncompatibleUnits(f"{source!r} cannot be converted into {target!r}")
    return (value * first.factor + first.offset - second.offset) / second.factor


def compatible(first: str, second: str) -> bool:
    """Whether values can be converted between these units; raises what `convert` raises for unusable units."""
    return parse(first).dimension == parse(second).dimension
