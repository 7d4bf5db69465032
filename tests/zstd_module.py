"""The zstd of this Python: its own, or the backport."""

from honestly._zstd import zstd

__all__ = ["zstd"]
