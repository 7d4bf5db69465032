"""Calls in batches."""

from batch.batcher import Batcher, Closed

__all__ = ["Batcher", "Closed"]
