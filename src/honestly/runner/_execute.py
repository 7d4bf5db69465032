"""Executors: where planned trials run. The local one runs them in this process, its sandboxes being the processes."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Protocol

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from honestly.runner._attempt import Attempted, OpenBox, attempt
from honestly.runner._plan import Planned

__all__ = ["Executor", "LocalExecutor", "default_jobs"]


class Executor(Protocol):
    """Runs trials somewhere and hands them back as they finish, in any order."""

    def submit(self, trials: Iterable[Planned]) -> AsyncGenerator[Attempted, None]:
        """Runs all of `trials`; closing the iterator abandons those that are not finished."""
        ...


class LocalExecutor:
    """Runs up to `jobs` trials at a time on this machine."""

    def __init__(self, open_box: OpenBox, jobs: int | None = None) -> None:
        self._open_box = open_box
        self._jobs = jobs or default_jobs()

    async def submit(self, trials: Iterable[Planned]) -> AsyncGenerator[Attempted, None]:
        """Runs all of `trials`."""
        async with self._running(trials) as results:
            async for result in results:
                yield result

    @asynccontextmanager
    async def _running(self, trials: Iterable[Planned]) -> AsyncIterator[MemoryObjectReceiveStream[Attempted]]:
        send, receive = anyio.create_memory_object_stream[Attempted]()
        queue = iter(trials)

        async def work(out: MemoryObjectSendStream[Attempted]) -> None:
            async with out:
                for planned in queue:
                    await out.send(await attempt(planned, self._open_box))

        async with anyio.create_task_group() as group, receive:
            for _ in range(self._jobs):
                group.start_soon(work, send.clone())
            send.close()
            yield receive
            group.cancel_scope.cancel()


def default_jobs() -> int:
    """Trials at a time on this machine: a little more than it has cores, since trials also wait."""
    return (os.cpu_count() or 1) + 1
