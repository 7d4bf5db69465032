"""Ctrl-C while a study runs: once lets the trials in flight end, twice stops at once; so do SIGTERM and SIGHUP.

Whoever sends SIGTERM (a batch system, a container that is taken down) follows with SIGKILL after some seconds, while
trials take minutes: to wait for them would lose the time, and the trials all the same. SIGHUP says that the terminal
is gone; under `nohup` it is not heard. However it ends, sandboxes are closed and the study is whole: trials in flight
that were stopped are not in it, and the same command runs them anew.
"""

import signal
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from anyio.abc import TaskStatus

from honestly._group import flat_group
from honestly.command._options import say_on_stderr
from honestly.runner import Oversight, in_hours

T = TypeVar("T")

INTERRUPTED = "interrupted"
"""The reason why no trial starts after the first Ctrl-C."""
_TICK_S = 1.0


async def heeding_signals(work: Callable[[], Awaitable[T]], oversight: Oversight, tick: Callable[[], None]) -> T:
    """The result of `work`; signals end it early, and `tick` is called every second.

    Raises:
        KeyboardInterrupt: the second Ctrl-C came, or the first while no trial was in flight.
        SystemExit: SIGTERM came (143), or SIGHUP (129).
    """
    taken: list[signal.Signals] = []
    done: list[T] = []
    async with flat_group() as listening:
        with anyio.CancelScope() as scope:
            await listening.start(_listen, oversight, scope, taken)
            async with flat_group() as group:
                group.start_soon(_tick_forever, tick)
                done.append(await work())
                group.cancel_scope.cancel()
        listening.cancel_scope.cancel()
    if done:
        return done[0]
    raise KeyboardInterrupt if taken[-1] == signal.SIGINT else SystemExit(128 + taken[-1])


async def _listen(
    oversight: Oversight, scope: anyio.CancelScope, taken: list[signal.Signals], *, task_status: TaskStatus[None]
) -> None:
    hung_up = [signal.SIGHUP] if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL else []
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, *hung_up) as signals:
        task_status.started()
        async for received in signals:
            if scope.cancel_called:
                continue  # `timeout` sends SIGTERM to its child and to the group: the second must not end the clean-up
            taken.append(received)
            if received != signal.SIGINT or len(taken) > 1 or not oversight.flying:
                scope.cancel()
                signal.signal(signal.SIGINT, signal.default_int_handler)  # one more Ctrl-C waits for nothing
                continue
            oversight.stop(INTERRUPTED)
            left = in_hours(max(0.0, oversight.agents_end_in()))
            say_on_stderr(
                f"finishing the {len(oversight.flying)} in flight: their agents have {left} at most, then their work "
                "is judged. Ctrl-C once more stops at once"
            )


async def _tick_forever(tick: Callable[[], None]) -> None:
    """Calls `tick` every second, for as long as nobody cancels it."""
    while True:
        tick()
        await anyio.sleep(_TICK_S)
