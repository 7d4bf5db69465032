"""The units that are known."""

from dataclasses import dataclass
from fractions import Fraction

from units.errors import UnknownUnit


@dataclass(frozen=True)
class Unit:
    """A unit, in terms of metre, kilogram, second and kelvin."""

    factor: Fraction
    """How many of the basic unit one of it is."""
    dimension: tuple[int, int, int, int]
    """Exponents of metre, kilogram, second and kelvin."""
    offset: Fraction = Fraction(0)
    """What its zero is on the scale of the basic unit; only for scales of temperature."""


_LENGTH, _MASS, _TIME, _HEAT = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)

_UNITS = {
    "m": Unit(Fraction(1), _LENGTH),
    "mm": Unit(Fraction(1, 1000), _LENGTH),
    "cm": Unit(Fraction(1, 100), _LENGTH),
    "km": Unit(Fraction(1000), _LENGTH),
    "mi": Unit(Fraction("1609.344"), _LENGTH),
    "L": Unit(Fraction(1, 1000), (3, 0, 0, 0)),
    "kg": Unit(Fraction(1), _MASS),
    "g": Unit(Fraction(1, 1000), _MASS),
    "lb": Unit(Fraction("0.45359237"), _MASS),
    "s": Unit(Fraction(1), _TIME),
    "min": Unit(Fraction(60), _TIME),
    "h": Unit(Fraction(3600), _TIME),
    "Hz": Unit(Fraction(1), (0, 0, -1, 0)),
    "N": Unit(Fraction(1), (1, 1, -2, 0)),
    "J": Unit(Fraction(1), (2, 1, -2, 0)),
    "W": Unit(Fraction(1), (2, 1, -3, 0)),
    "Pa": Unit(Fraction(1), (-1, 1, -2, 0)),
    "K": Unit(Fraction(1), _HEAT),
    "degC": Unit(Fraction(1), _HEAT, Fraction("273.15")),
    "degF": Unit(Fraction(5, 9), _HEAT, Fraction("459.67") * Fraction(5, 9)),
}


def find(name: str) -> Unit:
    """The unit of this name; UnknownUnit if there is none."""
    if name not in _UNITS:
        raise UnknownUnit(f"unknown unit {name!r}")
    return _UNITS[name]
