"""Collects the calls of many coroutines, and hands them to one function, several at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any


class Closed(Exception):
    """Raised for an item that comes after the end."""


class Batcher:
    """Batches for one handler, a coroutine function that takes a list of items and gives as many results in their order.

    A batch begins as soon as `size` items wait, or `delay` seconds after the first of them came, whichever is earlier. It takes the
    items that have waited longest, at most `size`. Batches may run at the same time.

    Callers do not disturb each other. An item whose caller is cancelled before its batch begins is taken out: the handler never sees
    it, it counts neither towards `size` nor for `delay`, which runs from the coming of the first item that still waits, and a batch
    without items is not begun. Once its batch has begun, the item stays in it, and its result is dropped; all other callers get
    theirs. A batch is never cancelled because its callers are.
    """

    def __init__(self, handler: Callable[[list[Any]], Awaitable[Sequence[Any]]], size: int, delay: float) -> None:
        self._handler = handler
        self._size = size
        self._delay = delay
        self._waiting: list[tuple[Any, asyncio.Future[Any]]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._closed = False

    async def submit(self, item: Any) -> Any:
        """Waits for the result of an item.

        Raises:
            Closed: `close` was called before.
            Exception: what the handler raised for the batch; a ValueError if it gave another number of results than there were items.
        """
        if self._closed:
            raise Closed
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if len(self._waiting) >= self._size:
            self._begin()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._delay, self._begin)
        return await future

    async def close(self) -> None:
        """Takes no more items, begins what waits at once, and waits until all batches are done; a second call waits, too."""
        self._closed = True
        self._begin()
        while self._running:
            await asyncio.wait(set(self._running))

    def _begin(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        batch, self._waiting = self._waiting, []
        if batch:
            task = asyncio.ensure_future(self._work(batch))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _work(self, batch: list[tuple[Any, asyncio.Future[Any]]]) -> None:
        try:
            results = await self._handler([item for item, _future in batch])
            if len(results) != len(batch):
                raise ValueError(f"{len(results)} results for {len(batch)} items")
        except Exception as error:
            for _item, future in batch:
                future.set_exception(error)
            return
        for (_item, future), result in zip(batch, results):
            future.set_result(result)
