"""Readings of electricity meters, version 2."""

from meters.series import EmptySeries, ParseError, Series, parse

__all__ = ["EmptySeries", "ParseError", "Series", "parse"]
