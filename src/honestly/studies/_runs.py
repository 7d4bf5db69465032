"""Where studies go that nobody named: `runs/SUITE-DATE.honestly`, of which readers take the newest."""

from datetime import datetime
from pathlib import Path

RUNS = "runs"
"""The folder of new studies, in the current directory."""


def new_run_path(name: str) -> Path:
    """The path of a new study of this suite."""
    return Path(RUNS) / f"{name}-{datetime.now().astimezone():%Y%m%d-%H%M%S}.honestly"
