"""How much to do at once where nobody says it."""

import os


def default_jobs() -> int:
    """Trials at a time on this machine: a little more than it has cores, since trials also wait."""
    return (os.cpu_count() or 1) + 1
