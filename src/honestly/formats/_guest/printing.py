"""Programs that read and print, as LiveCodeBench judges them."""

from __future__ import annotations

from bridge import data  # type: ignore[import-not-found]  # sent along
from grader import CheckTimeout  # type: ignore[import-not-found]
from printed import difference  # type: ignore[import-not-found]

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from typing import Any

_WORDS = ["python3", "-B", "solution.py"]
_LARGE = 500_000
"""Expected outputs longer than this are written to a file: a sandbox keeps only 1 MiB of what a command prints."""
_SHOWN = 200


class Printing:
    """A program that has so many seconds for each case."""

    def __init__(self, *, seconds: float) -> None:
        self._seconds = seconds
        self._cases: dict[str, list[list[str]]] = {}

    def run(self, ws: Any, cases: str) -> None:
        """Demands that it prints what it should in every case [input, output] in a file."""
        if cases not in self._cases:
            self._cases[cases] = data(cases)
        for number, (stdin, expected) in enumerate(self._cases[cases]):
            wrong = difference(self._printed(ws, number, stdin, large=len(expected) > _LARGE), expected)
            if wrong:
                raise AssertionError(f"case {number}: {wrong}")

    def _printed(self, ws: Any, number: int, stdin: str, *, large: bool) -> str:
        command = ["sh", "-c", f"exec {' '.join(_WORDS)} >printed.txt"] if large else _WORDS
        done = ws.run(command, stdin=stdin, timeout=self._seconds)
        if done.timed_out:
            raise CheckTimeout(f"case {number}: no end within {self._seconds:g} s")
        if done.code != 0:
            last = done.stderr.strip().rpartition("\n")[2]
            raise AssertionError(f"case {number}: exit status {done.code}: {last[:_SHOWN]}")
        return ws.read_bytes("printed.txt").decode("utf-8", "replace") if large else str(done.stdout)
