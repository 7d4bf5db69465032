"""Calls to partners."""

from calls.retry import Policy

__all__ = ["Policy"]
