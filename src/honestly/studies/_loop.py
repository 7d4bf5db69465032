"""Running asynchronous work from ordinary code, also where an event loop is running already, as in every notebook."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from anyio.from_thread import start_blocking_portal

T = TypeVar("T")


def from_sync(work: Callable[[], Awaitable[T]]) -> T:
    """What the work returns; Ctrl-C, or the notebook's stop button, cancels it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return anyio.run(work)
    with start_blocking_portal() as portal:  # a loop cannot wait for its own work, so this runs in a thread's
        future = portal.start_task_soon(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise
