"""The process in which a kernel runs: it maps the inputs that come with a call, and puts outputs where they belong.

Inputs and outputs lie in shared memory that the host makes anew for a call and hands over with the word to begin. The
kernel shares this process and may change any of it: nothing here is relied on, for the host's clock runs from before
the inputs can be seen here until it has copied the outputs, and whatever is done later is too late.
"""

from __future__ import annotations

import mmap
import os
import sys
import time

from honestly.verify._guest.wire import RESULT, dumps, loads, take_stdio

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from honestly.verify._guest.wire import Channel

_CLOCKS = ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns", "process_time", "sleep")
_PEAK_S = 0.15


class Keeper:
    """The kernel, and the inputs that are kept for another call."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._inputs: list[Any] = []
        self._clocks = {name: getattr(time, name) for name in _CLOCKS}

    def do_load(self, module: str, entry: str) -> None:
        """Imports the kernel."""
        import numpy  # noqa: F401 - or the first call would pay for it

        __import__(module)
        self._kernel: Callable[..., Any] = getattr(sys.modules[module], entry)

    def do_call(self, due: list[Any], given: list[Any], kept: bool) -> None:
        """Calls the kernel, on the inputs that are kept if none are given."""
        room = self._mapped_arrays(due)
        inputs = self._mapped_arrays(given) if given else self._inputs
        if kept:
            self._inputs = inputs
        value = self._kernel(*inputs)
        _copy_into(value if isinstance(value, (tuple, list)) else (value,), room)

    def do_clocks(self) -> list[str]:
        """Clocks that are not what they were before the kernel was imported."""
        return [name for name, clock in self._clocks.items() if getattr(time, name, None) is not clock]

    def do_peaks(self) -> list[float]:
        """Operations in single precision, and bytes within the nearest caches, for a second of one processor."""
        import numpy

        one, other = numpy.ones((384, 384), numpy.float32), numpy.ones(1 << 14, numpy.float32)
        product, copy = numpy.empty_like(one), numpy.empty_like(other)
        flops = _best_rate(lambda: numpy.matmul(one, one, out=product), 2.0 * 384**3)
        return [flops, _best_rate(lambda: numpy.copyto(copy, other), 2.0 * other.nbytes)]

    def _mapped_arrays(self, layout: list[Any]) -> list[Any]:
        """The arrays in the shared memory whose descriptor came: kind of element, shape and offset of each."""
        import numpy

        descriptor = self._channel.received_descriptor()
        shared = mmap.mmap(descriptor, 0, flags=mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
        os.close(descriptor)
        return [numpy.ndarray(shape, kind, shared, offset) for kind, shape, offset in layout]


def _copy_into(value: Any, room: list[Any]) -> None:
    import numpy

    each = [numpy.asarray(part) for part in value]
    if [part.shape for part in each] != [part.shape for part in room]:
        found, expected = ([part.shape for part in parts] for parts in (each, room))
        raise ValueError(f"the outputs are of the shapes {found}; the reference's are {expected}")
    for part, place in zip(each, room, strict=True):
        numpy.copyto(place, part, casting="same_kind")


def _best_rate(work: Callable[[], Any], amount: float) -> float:
    """The best rate in a second of processor time."""
    best, end = 0.0, time.perf_counter() + _PEAK_S
    while time.perf_counter() < end:
        start = time.thread_time()
        for _ in range(8):
            work()
        best = max(best, 8 * amount / max(time.thread_time() - start, 1e-9))
    return best


def main() -> None:
    """Answers until nobody asks any more."""
    channel = take_stdio()
    sys.path[:0] = [os.getcwd()]
    sys.path += filter(None, os.environ.get("PYTHONPATH", "").split(":"))
    keeper = Keeper(channel)
    channel.send(RESULT, dumps([True, None], None))
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
