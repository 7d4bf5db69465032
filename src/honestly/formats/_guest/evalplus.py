"""EvalPlus's inputs, each given to the reference here and to the solution over there; the answers are compared here."""

from __future__ import annotations

import time

from bridge import Calls, Function, ProblemError, data, said, text, words  # type: ignore[import-not-found]  # sent along
from grader import Remote  # type: ignore[import-not-found]
from oracle import FLOATS, NOT_NONE, agrees, floats, restored  # type: ignore[import-not-found]

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FACTOR = 4.0
"""How many times the reference's time a solution may take, where that is more than its fixed time."""
_SHOWN = 200


class Problem:
    """The reference in `reference.py`, and what it answered so far, kept for the next solution."""

    def __init__(self, entry: str, *, atol: float, mbpp: int | None, seconds: float) -> None:
        """Args:
        entry: name of the function.
        atol: absolute tolerance of floats.
        mbpp: number of the problem in MBPP, or None for HumanEval.
        seconds: what an answer may take.
        """
        self._entry, self._atol, self._mbpp, self._seconds = entry, atol, mbpp, seconds
        self._reference: Callable[..., Any] | None = None
        self._inputs: dict[str, list[list[Any]]] = {}
        self._answers: dict[str, list[tuple[Any, float]]] = {}

    def run(self, ws: Any, inputs: str) -> None:
        """Demands the right answer to every input in a file."""
        calls_given = self._given(inputs)
        if inputs not in self._answers:  # before the solution says anything that could keep this process busy
            self._answers[inputs] = [self._answer(given) for given in calls_given]
        module = Calls(ws, self._seconds).module()
        atol = self._atol
        for given, (expected, took) in zip(calls_given, self._answers[inputs], strict=True):
            calls = Calls(ws, max(self._seconds, FACTOR * took))
            self._demand(given, Function(calls, module, self._entry)(*given), expected, atol)
            if atol == 0 and floats(expected):
                atol = FLOATS  # from now on, as in EvalPlus

    def _given(self, name: str) -> list[list[Any]]:
        """The arguments of each call, as the problem means them."""
        if name not in self._inputs:
            inputs = data(name)
            try:
                self._inputs[name] = inputs if self._mbpp is None else restored(self._mbpp, inputs)
            except (TypeError, ValueError, LookupError, AttributeError) as error:
                raise ProblemError(f"its inputs are not those of Mbpp/{self._mbpp}: {error}") from error
        return self._inputs[name]

    def _answer(self, given: list[Any]) -> tuple[Any, float]:
        """The reference's answer, and the seconds that it took."""
        import copy

        given = copy.deepcopy(given)
        try:
            if self._reference is None:
                namespace: dict[str, Any] = {}
                exec(compile(text("reference.py"), "reference.py", "exec"), namespace)
                self._reference = namespace[self._entry]
            started = time.monotonic()
            answer = self._reference(*given)
        except Exception as error:
            raise ProblemError(f"its reference fails on {_short(given)}: {said(error)}") from error
        took = time.monotonic() - started
        return (answer is not None if self._mbpp is not None and self._entry in NOT_NONE else answer), took

    def _demand(self, given: list[Any], out: Any, expected: Any, atol: float) -> None:
        try:
            fine = agrees(self._entry, given, out, expected, mbpp=self._mbpp is not None, atol=atol)
        except (TypeError, ValueError, ArithmeticError):
            fine = False  # no number, not iterable, not plain data: whatever it is, not the answer
        if not fine:
            shown = repr(out) if type(out) is Remote else _short(out)
            raise AssertionError(f"{self._entry}{_short(tuple(given))} gave {shown}, not {_short(expected)}")


def _short(value: Any) -> str:
    shown = words(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN // 2]}…{shown[-_SHOWN // 2 :]}"
