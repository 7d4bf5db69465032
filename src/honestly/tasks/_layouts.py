"""The table of layouts: in which form a folder of tasks may be. A new one is a file in `layouts` and a line here.

A layout is a function of a folder. It gives what it found there, or None where the folder is in another layout; it may
take `visible_tests`, and then shows agents the tests if that is wanted.
"""

from pathlib import Path
from typing import Protocol

from honestly.errors import TaskError
from honestly.seams import KnownName, Seam
from honestly.tasks._reading import FoundTasks

_LAYOUTS = "honestly.tasks.layouts"


class SuiteLayout(Protocol):
    """Recognizes folders of tasks."""

    def __call__(self, root: Path, /) -> FoundTasks | None:
        """What is in `root`; None if it is in another layout.

        Raises:
            TaskError: It is in this layout, and malformed.
        """
        ...


LAYOUTS = Seam(
    kind="layout of suites",
    group="honestly.layouts",
    protocol="honestly.tasks.SuiteLayout",
    error=TaskError,
    known=(
        KnownName("exercism", f"{_LAYOUTS}._exercism:find_exercises", "tracks of Exercism, Aider's polyglot benchmark"),
        KnownName("harbor", "honestly.tasks._load:find_folders", "Harbor's task folders, and our own"),
        KnownName("quixbugs", f"{_LAYOUTS}._quixbugs:find_repairs", "QuixBugs, its cases or its pytest files"),
        KnownName("swe-bench", f"{_LAYOUTS}._swebench:find_instances", "SWE-bench's instances over prepared checkouts"),
    ),
)
"""In this order they are asked whether they know a folder; those of installed packages come last."""
