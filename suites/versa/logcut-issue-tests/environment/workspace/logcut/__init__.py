"""Cuts pieces out of logs."""

from logcut.cut import main

__all__ = ["main"]
