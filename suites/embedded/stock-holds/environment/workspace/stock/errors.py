"""Errors of the store."""


class StateError(Exception):
    """The ticket is in a state in which this cannot be done."""
