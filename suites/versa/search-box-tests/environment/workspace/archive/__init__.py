"""A mail archive."""

from archive.query import Term, TooLong, finds, parse, show

__all__ = ["Term", "TooLong", "finds", "parse", "show"]
