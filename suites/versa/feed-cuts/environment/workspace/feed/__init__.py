"""Rows from streams of bytes that arrive in pieces."""

from feed.reader import Reader
from feed.report import open_amount
from feed.scanner import Broken

__all__ = ["Broken", "Reader", "open_amount"]
