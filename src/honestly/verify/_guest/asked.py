"""What a test of a long suite asks for all its values with, inside the sandbox: `__asked__`, which every file finds.

Such a test runs once. What it computes is compared with all of its values in turn, each of which is what one run of a
short suite would expect; secret lots decide in which order, and nothing here knows which of them is true. A test goes
on while any of its values holds. Which did not is reported with it, and judged outside.
"""

from __future__ import annotations

import builtins
import os
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

    def install(self) -> Asked:
        """Makes itself known to all files."""
        setattr(builtins, NAME, self)
        return self

    def begin(self) -> None:
        """Another test begins."""
        self._lost = {}

    def lost(self) -> list[tuple[int, str]]:
        """What did not hold in the test that has run."""
        return [(number, text[:200].encode("utf-8", "replace").decode()) for number, text in self._lost.items()]

    def __call__(self, versions: Sequence[Callable[..., object]], *values: object) -> None:
        """Asks for each version of a call that asserts something about values which are computed already."""
        self._ask(versions, values, condition=False)

    def true(self, versions: Sequence[Callable[..., object]], *values: object) -> None:
        """Asks for each version of a condition."""
        self._ask(versions, values, condition=True)

    def raising(self, versions: Sequence[Callable[[], Any]]) -> _Raising:
        """Asks for each version of the exception that a block raises."""
        return _Raising(self, versions)

    def left(self, count: int) -> list[int]:
        """Numbers of what has held so far."""
        return [number for number in range(count) if number not in self._lost]

    def lose(self, number: int, why: str) -> None:
        """Notes what did not hold."""
        self._lost[number] = why

    def _ask(self, versions: Sequence[Callable[..., object]], values: tuple[object, ...], *, condition: bool) -> None:
        left = self.left(len(versions))
        # To compare what can be read once is to use it up: each value but the last has a process of its own.
        apart = any(hasattr(type(value), "__next__") for value in values)
        for number in left:
            say = _apart if apart and number != left[-1] else _why
            why = say(versions[number], values, condition)
            if why is not None:
                self.lose(number, why)
        if not self.left(len(versions)):
            shown = ", ".join(map(_shown, values)) if condition else ""
            for number in left:
                self._lost[number] = self._lost[number] or f"it is not so of {shown}"
            raise AssertionError(self._lost[left[-1]] if left else "nothing of it has held before")


class _Raising:
    """A block that shall raise an exception, each version another."""

    def __init__(self, asked: Asked, versions: Sequence[Callable[[], Any]]) -> None:
        self._asked = asked
        self._contexts = {number: versions[number]() for number in asked.left(len(versions)) or [0]}
        self._given: dict[int, Any] = {}

    def __enter__(self) -> object:
        self._given = {number: context.__enter__() for number, context in self._contexts.items()}
        return next(iter(self._given.values()))

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        held = None
        for number, context in self._contexts.items():
            try:
                why = None if context.__exit__(kind, error, trace) else f"{type(error).__name__}: {error}"
            except BaseException as other:  # as it says that nothing was raised, or not with these words
                why = str(other)
            if why is None:
                held = held or self._given[number]
            else:
                self._asked.lose(number, why)
        if held is not None:
            vars(next(iter(self._given.values()))).update(vars(held))
        elif error is None:
            raise AssertionError("nothing was raised")
        return held is not None


def _why(version: Callable[..., object], values: tuple[object, ...], condition: bool) -> str | None:
    """Why a version does not hold; empty where there are no words for it."""
    try:
        return None if version(*values) or not condition else ""
    except BaseException as error:  # whatever it is: what is no answer does not hold
        return f"{type(error).__name__}: {error}"


def _apart(version: Callable[..., object], values: tuple[object, ...], condition: bool) -> str | None:
    """The same in a fork, of which nothing else is left."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = _why(version, values, condition) is not None
        finally:
            os._exit(code)
    return "" if os.waitpid(child, 0)[1] else None


def _shown(value: object) -> str:
    try:
        return reprlib.repr(value)
    except Exception as error:
        return f"<{type(value).__name__} without a text: {type(error).__name__}>"
