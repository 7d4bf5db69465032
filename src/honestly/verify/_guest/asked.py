"""The object by which a test of a long suite asks for all its values, inside the sandbox: `__asked__`, which every file
finds.

Such a test runs once. What it computes is compared with all of its values in turn, each of which is what one run of a
short suite would expect; secret lots decide in which order, and nothing here knows which of them is true. A test goes
on while any of its values holds. Which did not is reported with it, and judged outside; or that it has to run again,
for each of its values apart, since what it compares can be read only once.
"""

from __future__ import annotations

import builtins
import reprlib

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

NAME = "__asked__"
COPY = "__asked_run_"
"""Stands in the name of a test that cannot ask for all its values: between its own, and the number of its run."""


def run_of(name: str) -> tuple[str, int]:
    """The id of a test without the number of its run, and that number."""
    function, bracket, parameters = name.partition("[")
    function, _, number = function.partition(COPY)
    return (function + bracket + parameters, int(number)) if number.isdecimal() else (name, 0)


class Asked:
    """The values that did not hold in the test that runs, by number, each with why."""

    def __init__(self) -> None:
        self._lost: dict[int, str] = {}
        self._again = False

    def install(self) -> Asked:
        """Makes itself known to all files."""
        setattr(builtins, NAME, self)
        return self

    def begin(self) -> None:
        """Another test begins."""
        self._lost = {}
        self._again = False

    def said(self) -> dict[str, Any]:
        """The report of the test that has run."""
        lost = [(number, text[:200].encode("utf-8", "replace").decode()) for number, text in self._lost.items()]
        return {"lost": lost, "again": self._again}

    def __call__(self, versions: Sequence[Callable[..., object]], *values: object) -> None:
        """Asks for each version of a call that asserts something about values which are computed already."""
        self._ask_values(versions, values, condition=False)

    def ask_versions(self, versions: Sequence[Callable[..., object]], *values: object) -> None:
        """Asks for each version of a condition."""
        self._ask_values(versions, values, condition=True)

    def left(self, count: int) -> list[int]:
        """Numbers of what has held so far."""
        return [number for number in range(count) if number not in self._lost]

    def note_lost(self, number: int, why: str) -> None:
        """Notes what did not hold."""
        self._lost[number] = why

    def _ask_values(
        self, versions: Sequence[Callable[..., object]], values: tuple[object, ...], *, condition: bool
    ) -> None:
        if any(hasattr(type(value), "__next__") for value in values):  # to compare what is read once is to use it up
            self._again = True
            return
        left = self.left(len(versions))
        for number in left:
            why = _why(versions[number], values, condition)
            if why is not None:
                self.note_lost(number, why)
        if not self.left(len(versions)):
            shown = ", ".join(map(_value_text, values)) if condition else ""
            for number in left:
                self._lost[number] = self._lost[number] or f"it is not so of {shown}"
            raise AssertionError(self._lost[left[-1]] if left else "nothing of it has held before")


def _why(version: Callable[..., object], values: tuple[object, ...], condition: bool) -> str | None:
    """Why a version does not hold; empty where there are no words for it."""
    try:
        return None if version(*values) or not condition else ""
    except BaseException as error:  # whatever it is: what is no answer does not hold
        return f"{type(error).__name__}: {error}"


def _value_text(value: object) -> str:
    try:
        return reprlib.repr(value)
    except Exception as error:
        return f"<{type(value).__name__} without a text: {type(error).__name__}>"
