"""Reading compound units such as `kg*m/s^2`."""

import re
from fractions import Fraction

from units.errors import MalformedUnit, OffsetUnit
from units.table import Unit, find

_FACTOR = re.compile(r" *(?:1|(?P<name>[A-Za-z]+) *(?:\^ *(?P<exponent>-?[0-9]+))?) *")


def parse(text: str) -> Unit:
    """The unit that a text such as `"km"`, `"W/m^2"` or `"1/s"` stands for.

    Raises MalformedUnit, UnknownUnit, and OffsetUnit for degrees that do not stand alone.
    """
    operators, factors = ["*", *re.findall(r"[*/]", text)], re.split(r"[*/]", text)
    matches = [_FACTOR.fullmatch(factor) for factor in factors]
    factor, dimension = Fraction(1), (0, 0, 0, 0)
    for operator, match in zip(operators, matches, strict=True):
        if match is None:
            raise MalformedUnit(f"not a unit: {text!r}")
        if match["name"] is None:
            continue
        unit = find(match["name"])
        if unit.offset:
            if operator == "/" or len(factors) > 1 and factors[1:] != ["1"]:
                raise OffsetUnit(f"{match['name']} cannot be part of a compound unit: {text!r}")
            if match["exponent"] in (None, "1"):
                return unit
        exponent = int(match["exponent"] or 1) * (1 if operator == "*" else -1)
        factor *= unit.factor**exponent
        dimension = tuple(have + exponent * more for have, more in zip(dimension, unit.dimension, strict=True))
    return Unit(factor, dimension)
