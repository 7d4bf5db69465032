"""EvalPlus's inputs, each given to the reference here and to the solution over there; the answers are compared here."""

from __future__ import annotations

import os
import time
import zlib

from bridge import HERE, Calls, ProblemError, data, plain, said, text, words  # type: ignore[import-not-found]  # sent along
from grader import Remote, WireError, pack, unpack  # type: ignore[import-not-found]
from oracle import FLOATS, NOT_NONE, agrees, floats, restored  # type: ignore[import-not-found]

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

FACTOR = 4.0
"""How many times the reference's time a solution may take, where that is more than its fixed time."""
_SHOWN = 200
_MOST, _LARGEST = 200, 1 << 18
"""Calls in one batch, and bytes of their arguments; a single one may be larger."""


class _Batch:
    """Calls that are made in one round trip."""

    def __init__(self) -> None:
        self.given: list[list[Any]] = []
        self.expected: list[Any] = []
        self.limits: list[float] = []
        self.atols: list[float] = []
        self.parts: list[bytes] = []
        self.packed = b""

    def add(self, given: list[Any], expected: Any, limit: float, atol: float) -> None:
        """Takes one more call."""
        self.given.append(given)
        self.expected.append(expected)
        self.limits.append(limit)
        self.atols.append(atol)

    def ready(self) -> _Batch:
        """The batch, which takes no more."""
        self.packed, self.parts = b"[%s]" % b",".join(self.parts), []
        return self


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
        self._cases: dict[str, list[_Batch]] = {}

    def run(self, ws: Any, inputs: str) -> None:
        """Demands the right answer to every input in a file."""
        if inputs not in self._cases:  # before the solution says anything that could keep this process busy
            self._cases[inputs] = list(self._batches(inputs))
        calls = Calls(ws, self._seconds)
        function = calls(getattr, calls.module(), self._entry)
        for batch in self._cases[inputs]:
            done = 0
            for out in ws.each(function, batch.packed, batch.limits):
                if not (self._mbpp is None and self._entry != "find_zero" and _same(out, batch.expected[done])):
                    with ws.limit(batch.limits[done]):  # what is no plain data came last, and can be asked what it is
                        self._demand(batch, done, plain(ws, out))
                done += 1
            for at in range(done, len(batch.given)):
                self._demand(batch, at, Calls(ws, batch.limits[at])(function, *batch.given[at]))

    def _batches(self, inputs: str) -> Iterator[_Batch]:
        """The inputs in a file, their answers, and what these may cost and differ by, some at a time."""
        atol, batch, size = self._atol, _Batch(), 0
        calls = self._given(inputs)
        for given, (expected, took) in zip(calls, self._answers(inputs, calls), strict=True):
            packed = pack(given)
            if size + len(packed) > _LARGEST or len(batch.given) >= _MOST:
                yield batch.ready()
                batch, size = _Batch(), 0
            size += len(packed)
            batch.parts.append(packed)
            batch.add(given, expected, max(self._seconds, FACTOR * took), atol)
            if atol == 0 and floats(expected):
                atol = FLOATS  # from now on, as in EvalPlus
        if batch.given:
            yield batch.ready()

    def _answers(self, inputs: str, calls: list[list[Any]]) -> list[Any]:
        """The reference's answers, and the seconds that they took; kept beside the folders of all sets of checks.

        So they outlive this module, which goes when checks of another problem come; in memory they would add up.
        """
        from hashlib import blake2b

        settled = blake2b(repr((self._entry, self._mbpp, text("reference.py"))).encode(), digest_size=16)
        with open(f"{HERE}/{inputs}", "rb") as file:
            settled.update(file.read())
        name = f"{os.path.dirname(HERE)}/answers-{settled.hexdigest()}"
        try:
            with open(name, "rb") as file:
                kept: list[Any] = unpack(zlib.decompress(file.read()))
                return kept
        except FileNotFoundError:
            pass
        answers = [self._answer(given) for given in calls]
        try:
            data = zlib.compress(pack(answers), 1)
        except WireError:
            return answers  # not plain data alone
        try:
            with open(f"{name}.new", "wb") as file:
                file.write(data)
            os.rename(f"{name}.new", name)
        except OSError:
            pass  # no room: the next one asks the reference again
        return answers

    def _given(self, name: str) -> list[list[Any]]:
        """The arguments of each call, as the problem means them."""
        inputs: list[list[Any]] = data(name)
        try:
            return inputs if self._mbpp is None else restored(self._mbpp, inputs)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise ProblemError(f"its inputs are not those of Mbpp/{self._mbpp}: {error}") from error

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

    def _demand(self, batch: _Batch, at: int, out: Any) -> None:
        given, expected, atol = batch.given[at], batch.expected[at], batch.atols[at]
        try:
            fine = agrees(self._entry, given, out, expected, mbpp=self._mbpp is not None, atol=atol)
        except (TypeError, ValueError, ArithmeticError):
            fine = False  # no number, not iterable, not plain data: whatever it is, not the answer
        if not fine:
            shown = repr(out) if type(out) is Remote else _short(out)
            raise AssertionError(f"{self._entry}{_short(tuple(given))} gave {shown}, not {_short(expected)}")


def _same(out: Any, expected: Any) -> bool:
    """Whether two values are equal as they are, which most right answers are."""
    try:
        return (out == expected) is True
    except (TypeError, ValueError):
        return False  # no plain data


def _short(value: Any) -> str:
    shown = words(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN // 2]}…{shown[-_SHOWN // 2 :]}"
