"""The clock of an event loop that stands still while its program does, and for how long that was.

While `keep_clock_steady` runs, the loop does not count the seconds for which it was stopped or frozen, or held up by a
call that did not return: so every deadline, wait and duration of ours has the length that was meant. A thread of its
own notices for how long the whole program stood still (`stood_still_s`), so that what was under way can be done again.

Not covered: event loops whose clock is not theirs to set (uvloop), or somebody else's; there, deadlines count on.
"""

import asyncio
import math
import threading
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from honestly.errors import HonestlyError, SandboxBusyError, SandboxUnavailableError
from honestly.sandbox._guest.clock import TICK_S, SteadyClock

T = TypeVar("T")

_TIMES = 3


class _Watch:
    """The thread that notices when this program stands still, for as long as somebody wants it."""

    def __init__(self) -> None:
        self._lock, self._wanted = threading.Lock(), 0
        self._clock: SteadyClock | None = None
        self._before = 0.0

    def begin(self) -> None:
        with self._lock:
            self._wanted += 1
            if self._clock is None:
                self._clock = SteadyClock()
                threading.Thread(target=self._look, args=(self._clock,), name="standstills", daemon=True).start()

    def end(self) -> None:
        with self._lock:
            self._wanted -= 1
            if not self._wanted and self._clock is not None:
                self._before += self._clock.lost_by_now()
                self._clock = None

    def seconds(self) -> float:
        clock = self._clock
        return self._before + (clock.lost_by_now() if clock else 0.0)

    def _look(self, clock: SteadyClock) -> None:
        while self._clock is clock:
            time.sleep(TICK_S)
            clock.now(TICK_S)


_watch = _Watch()


def stood_still_s() -> float:
    """Seconds for which this program was paused while observed; only differences have a meaning."""
    return _watch.seconds()


async def done_undisturbed(work: Callable[[], Awaitable[T]]) -> T:
    """The result of work during which this program was not paused; repeats the work if it was.

    Raises:
        SandboxBusyError: it stood still each of several times.
    """
    _watch.begin()
    try:
        for _ in range(_TIMES):
            before, trouble = stood_still_s(), None
            try:
                result = await work()
            except SandboxUnavailableError:
                raise
            except HonestlyError as error:
                trouble = error
            if stood_still_s() == before:
                if trouble is not None:
                    raise trouble
                return result
    finally:
        _watch.end()
    raise SandboxBusyError(f"this program was stopped, frozen or suspended each of {_TIMES} times that work was judged")


class _LoopTime:
    """What tells an event loop the time."""

    def __init__(self) -> None:
        self._clock = SteadyClock()
        self.keepers = 0
        """Who sees to it that the loop wakes every `TICK_S`; without them, it sleeps for as long as it likes."""

    def __call__(self) -> float:
        return self._clock.now(TICK_S if self.keepers else math.inf)


async def keep_clock_steady() -> None:
    """Stops the clock of the event loop while the program is paused, until cancelled."""
    loop_time = _own_time()
    if loop_time is not None:
        loop_time()
        loop_time.keepers += 1
    _watch.begin()
    try:
        while True:  # noqa: ASYNC110 - the loop has to wake
            await anyio.sleep(TICK_S)
    finally:
        _watch.end()
        if loop_time is not None:
            loop_time.keepers -= 1


def _own_time() -> _LoopTime | None:
    """What tells the running loop the time, from now on for good; None where that cannot be changed."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # it is Trio's
        return None
    if isinstance(loop.time, _LoopTime):
        return loop.time
    if getattr(loop.time, "__func__", None) is not asyncio.BaseEventLoop.time:
        return None
    loop_time = _LoopTime()
    loop.time = loop_time  # type: ignore[method-assign]
    return loop_time
