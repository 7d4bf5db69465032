"""What can be wrong with units."""


class UnitError(ValueError):
    """Any trouble with a unit."""


class UnknownUnit(UnitError):
    """There is no unit of this name."""


class IncompatibleUnits(UnitError):
    """The units measure different things."""
