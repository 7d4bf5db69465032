"""A builder of small sites, which builds only what has changed; or so it was meant."""

from pages.builder import Builder
from pages.story import is_stale, play

__all__ = ["Builder", "is_stale", "play"]
