"""Studies that are slow to make: one process of a run of tests makes each, the others take copies."""

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

__all__ = ["made_once"]


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A copy, this process's own, of the study `name` that `make` makes at the path that it is given."""
    base = factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    made = shared / f"{name}.honestly"
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            part = shared / f"{name}-part.honestly"
            make(part)
            part.rename(made)
    return Path(shutil.copy(made, factory.mktemp(name)))
