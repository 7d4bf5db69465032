"""Uploads that arrive in chunks."""

from uploads.ranges import RangeSet
from uploads.session import ChunkError, Upload

__all__ = ["ChunkError", "RangeSet", "Upload"]
