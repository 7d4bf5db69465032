"""How much to do at once where nobody says it."""

from __future__ import annotations

import os

__all__ = ["default_jobs"]


def default_jobs() -> int:
    """Trials at a time on this machine: a little more than it has cores, since trials also wait."""
    return (os.cpu_count() or 1) + 1
