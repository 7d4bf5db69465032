"""Errors of this package."""


class BadCode(ValueError):
    """A text is not the code of a ticket."""
