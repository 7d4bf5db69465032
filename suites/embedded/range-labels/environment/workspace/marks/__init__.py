"""Marks on a text."""

from marks.labels import Labels

__all__ = ["Labels"]
