"""What can be wrong with units."""


class UnitError(ValueError):
    """Any trouble with a unit."""


class UnknownUnit(UnitError):
    """There is no unit of this name."""


class IncompatibleUnits(UnitError):
    """The units measure different things."""


class MalformedUnit(UnitError):
    """The text is not a unit at all."""


class OffsetUnit(UnitError):
    """A scale with a zero point of its own is used as a factor of a compound unit."""
