"""EvalPlus's inputs, each given to the reference here and to the solution over there; the answers are compared here."""

from __future__ import annotations

import os
import time
import zlib

from bridge import HERE, Calls, Left, ProblemError, data, plain, said, text, words  # type: ignore[import-not-found]  # sent along
from grader import Remote, WireError, pack, unpack  # type: ignore[import-not-found]
from oracle import FLOATS, NOT_NONE, agrees, floats, restored  # type: ignore[import-not-found]

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

FACTOR = 4.0
"""How many times the reference's time a solution may take, where that is more than its fixed time."""
ALL = 15.0
"""How many times what an answer may take, all answers of one check may take together: of 4 s 60, as in EvalPlus."""
_SHOWN = 200
_MOST, _LARGEST = 200, 1 << 18
"""Calls in one batch, and bytes of their arguments and answers; a single one may be larger."""


class _Batch:
    """Calls that are made in one round trip."""

    def __init__(self) -> None:
        self.given: list[list[Any]] = []
        self.expected: list[Any] = []
        self.limits: list[float] = []
        self.atols: list[float] = []

    def add(self, given: list[Any], expected: Any, limit: float, atol: float) -> None:
        """Takes one more call."""
        self.given.append(given)
        self.expected.append(expected)
        self.limits.append(limit)
        self.atols.append(atol)


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

    def run(self, ws: Any, inputs: str) -> None:
        """Demands the right answer to every input in a file."""
        given = self._given(inputs)
        answers = self._answers(inputs, given)  # before the solution says anything that could keep this process busy
        calls = Calls(ws, self._seconds)
        function = calls(getattr, calls.module(), self._entry)
        left = Left(ws, ALL * self._seconds)
        for batch in self._batches(given, answers):
            done = 0
            for out in ws.each(function, pack(batch.given), left.limits(batch.limits)):
                if not (self._mbpp is None and self._entry != "find_zero" and _same_value(out, batch.expected[done])):
                    with ws.limit(batch.limits[done]):  # what is no plain data came last, and can be asked what it is
                        self._demand(batch, done, plain(ws, out))
                done += 1
            for at, limit in enumerate(left.limits(batch.limits[done:]), done):
                self._demand(batch, at, Calls(ws, limit)(function, *batch.given[at]))

    def _batches(self, calls: list[list[Any]], answers: Iterable[list[Any]]) -> Iterator[_Batch]:
        """The inputs, their answers, and what these may cost and differ by, some at a time."""
        atol, at = self._atol, 0
        for known in answers:
            batch = _Batch()
            for expected, took in known:
                batch.add(calls[at], expected, max(self._seconds, FACTOR * took), atol)
                at += 1
                if atol == 0 and floats(expected):
                    atol = FLOATS  # from now on, as in EvalPlus
            yield batch

    def _answers(self, inputs: str, calls: list[list[Any]]) -> Iterable[list[Any]]:
        """The reference's answers, and the seconds that they took, those of one batch at a time.

        They are kept beside the folders of all sets of checks. So they outlive this module, which goes when checks of
        another problem come; in memory they would add up.
        """
        from hashlib import blake2b

        settled = blake2b(repr((self._entry, self._mbpp, text("reference.py"))).encode(), digest_size=16)
        with open(f"{HERE}/{inputs}", "rb") as file:
            settled.update(file.read())
        name = f"{os.path.dirname(HERE)}/answers-{settled.hexdigest()}"
        if not os.path.exists(name):
            try:
                self._settle(f"{name}.new", calls)
                os.rename(f"{name}.new", name)
            except (OSError, WireError):  # no room, or not plain data alone: the next one asks the reference again
                known = [self._reference_answer(given) for given in calls]
                return [known[at : at + _MOST] for at in range(0, len(known), _MOST)]
        return _kept(name)

    def _settle(self, name: str, calls: list[list[Any]]) -> None:
        """Asks the reference, and writes what it answers to a file, batch by batch."""
        with open(name, "wb") as file:
            parts, size = list[bytes](), 0
            for number, given in enumerate(calls, 1):
                parts.append(pack(list(self._reference_answer(given))))
                size += len(pack(given)) + len(parts[-1])
                if size > _LARGEST or len(parts) == _MOST or number == len(calls):
                    data = zlib.compress(b"[%s]" % b",".join(parts), 1)
                    file.write(len(data).to_bytes(4, "big") + data)
                    parts, size = [], 0

    def _given(self, name: str) -> list[list[Any]]:
        """The arguments of each call, as the problem means them."""
        inputs: list[list[Any]] = data(name)
        try:
            return inputs if self._mbpp is None else restored(self._mbpp, inputs)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise ProblemError(f"its inputs are not those of Mbpp/{self._mbpp}: {error}") from error

    def _reference_answer(self, given: list[Any]) -> tuple[Any, float]:
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


def _kept(name: str) -> Iterator[list[Any]]:
    """What `_settle` has written."""
    with open(name, "rb") as file:
        while head := file.read(4):
            known: list[Any] = unpack(zlib.decompress(file.read(int.from_bytes(head, "big"))))
            yield known


def _same_value(out: Any, expected: Any) -> bool:
    """Whether two values are equal as they are, which most right answers are."""
    try:
        return (out == expected) is True
    except (TypeError, ValueError):
        return False  # no plain data


def _short(value: Any) -> str:
    shown = words(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN // 2]}…{shown[-_SHOWN // 2 :]}"
