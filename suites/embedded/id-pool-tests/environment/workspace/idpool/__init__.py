"""A pool of numeric ids."""

from idpool.pool import AlreadyTaken, IdPool, NotTaken, PoolExhausted

__all__ = ["AlreadyTaken", "IdPool", "NotTaken", "PoolExhausted"]
