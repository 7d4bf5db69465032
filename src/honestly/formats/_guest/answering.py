"""Methods and functions that are called, as LiveCodeBench judges them."""

from __future__ import annotations

from bridge import Calls, Function, data, words  # type: ignore[import-not-found]  # sent along

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from typing import Any

_SHOWN = 200


class Answering:
    """A method of `Solution`, or a function, that has so many seconds for each case."""

    def __init__(self, name: str, *, seconds: float) -> None:
        self._name, self._seconds = name, seconds
        self._cases: dict[str, list[tuple[list[Any], Any]]] = {}

    def run(self, ws: Any, cases: str) -> None:
        """Demands the right answer in every case [arguments, answer] in a file."""
        if cases not in self._cases:
            self._cases[cases] = data(cases)
        owner = self._owner(ws)
        for number, (given, expected) in enumerate(self._cases[cases]):
            out = Function(Calls(ws, self._seconds), owner, self._name)(*given)
            if type(out) is tuple:
                out = list(out)  # LiveCodeBench forgives it, at the top only
            if not _same_answer(out, expected):
                shown = f"{words(out)[:_SHOWN]}, not {words(expected)[:_SHOWN]}"
                raise AssertionError(f"case {number}: {self._name} gave {shown}")

    def _owner(self, ws: Any) -> Any:
        calls = Calls(ws, self._seconds)
        module = calls.module()
        try:
            solution = calls(getattr, module, "Solution")
        except AttributeError:
            return module
        return calls(solution)


def _same_answer(out: Any, expected: Any) -> bool:
    try:
        return bool(out == expected)
    except (TypeError, ValueError):
        return False  # something in it is no plain data, or an array
