"""The process in which a kernel runs: it keeps arrays, calls the kernel on them, and hands over what came of it.

What it is asked is one thing at a time, so that the host's clock can tell them apart: to keep arrays, to put other
values where they lie, to call, to show outputs or inputs. An output is copied into plain arrays within the call, since
one could compute itself later. The kernel shares this process: no word of it is believed that the host cannot compare.
"""

from __future__ import annotations

import os
import sys
import time

from honestly.verify._guest.wire import RESULT, dumps, loads, take_stdio

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_CLOCKS = ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns", "process_time", "sleep")


class Keeper:
    """The kernel, its inputs by number, and its outputs."""

    def __init__(self) -> None:
        self._inputs: dict[int, list[Any]] = {}
        self._outputs: dict[int, tuple[Any, ...]] = {}
        self._clocks = {name: getattr(time, name) for name in _CLOCKS}

    def do_nothing(self) -> None:
        """Answers: what a question alone costs."""

    def do_load(self, module: str, entry: str) -> None:
        """Imports the kernel."""
        __import__(module)
        self._kernel: Callable[..., Any] = getattr(sys.modules[module], entry)

    def do_put(self, number: int, arrays: list[Any]) -> None:
        """Keeps arrays; those that had the number are gone."""
        self._inputs[number] = arrays

    def do_refill(self, number: int, arrays: list[Any]) -> None:
        """Puts other values where the arrays of this number lie."""
        for kept, array in zip(self._inputs[number], arrays, strict=True):
            kept[...] = array

    def do_call(self, number: int) -> float:
        """Calls the kernel; returns seconds by this process's own clock, as a harness in it would."""
        start = time.perf_counter()
        self._outputs[number] = _plain(self._kernel(*self._inputs[number]))
        return float(time.perf_counter() - start)

    def do_outputs(self, number: int) -> list[Any]:
        """What the last call with this number gave."""
        return list(self._outputs[number])

    def do_inputs(self, number: int) -> list[Any]:
        """What now lies where the inputs were put."""
        return self._inputs[number]

    def do_clocks(self) -> list[str]:
        """Clocks that are not what they were before the kernel was imported."""
        return [name for name, clock in self._clocks.items() if getattr(time, name, None) is not clock]


def _plain(value: Any) -> tuple[Any, ...]:
    import numpy

    each = value if isinstance(value, (tuple, list)) else (value,)
    return tuple(numpy.array(part, copy=True, subok=False) for part in each)


def main() -> None:
    """Answers until nobody asks any more."""
    channel = take_stdio()
    sys.path[:0] = [os.getcwd()]
    sys.path += filter(None, os.environ.get("PYTHONPATH", "").split(":"))
    keeper = Keeper()
    while True:
        try:
            _, payload = channel.receive()
        except EOFError:
            return
        try:
            name, *given = loads(payload, None)
            reply = dumps([True, getattr(keeper, f"do_{name}")(*given)], None)
        except BaseException as error:  # the kernel may raise anything at all, SystemExit included
            reply = dumps([False, f"{type(error).__name__}: {str(error)[:500]}"], None)
        channel.send(RESULT, reply)


if __name__ == "__main__":
    main()
