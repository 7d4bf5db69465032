"""What is told of a study without opening it, and of one that was moved."""

from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple


class StudyFile(NamedTuple):
    """A study, in a file or in a database."""

    path: Path
    place: Literal["here", "archived", "dropped"]
    size: int
    """Bytes; of a file with its log."""
    trials: int | None
    """None where that cannot be told without repairing it: it is damaged, or a killed writer left it."""
    changed: datetime


class Moved(NamedTuple):
    """Where a study was, and where it is now."""

    was: Path
    now: Path
