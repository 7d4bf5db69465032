"""Questions asked at the same time out of one purse, until all are asked or asking cannot help any more.

What a server does not answer is left for the next run. After some failures in a row, where asking again cannot help (a
wrong key, a model that is not there), and where the budget is spent, no further question is begun.
"""

import os
import secrets
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TypeVar

import anyio

from honestly.audit.monitor._ask import Judge
from honestly.audit.monitor._cost import Meter, Purse
from honestly.errors import BudgetError, ModelError, StoreError
from honestly.models import CacheModel, Model, RetryModel

T = TypeVar("T")

_IN_A_ROW = 4
"""Failures after which a run ends."""
_HOPELESS = frozenset({401, 402, 403, 404})


class Turns:
    """One run of questions."""

    def __init__(self, purse: Purse, folder: Path | None) -> None:
        """Answers are kept in `folder`, in memory where that is None."""
        self.purse, self.secret = purse, kept_secret(folder)
        self.stopped = ""
        """Why no more is asked; empty while that goes on."""
        self.failures: list[str] = []
        """What servers said instead of an answer, each reason once."""
        self._folder = folder
        self._in_a_row = 0

    def judge(self, model: Model, timeout_s: float = 600.0) -> Judge:
        """A judge whose answers are kept, tried again, and paid from the purse."""
        return Judge(CacheModel(RetryModel(Meter(model, self.purse)), self._folder), timeout_s=timeout_s)

    async def take(self, waiting: Iterable[T], ask: Callable[[T], Awaitable[bool]], jobs: int) -> None:
        """Asks about each of `waiting`, `jobs` at a time.

        Args:
            waiting: what there is to ask about.
            ask: asks; returns whether a judge's answer could be used.
            jobs: how many at a time.
        """
        room = anyio.Semaphore(jobs)

        async def one(each: T) -> None:
            try:
                if await ask(each):
                    self._in_a_row = 0
            except BudgetError as error:
                self._stop(error)
            except ModelError as error:
                self._failed(error)
            finally:
                room.release()

        async with anyio.create_task_group() as group:
            for each in waiting:
                await room.acquire()
                if self.stopped:
                    break
                group.start_soon(one, each)

    def _failed(self, error: ModelError) -> None:
        self._in_a_row += 1
        if str(error) not in self.failures:
            self.failures.append(str(error))
        if error.status in _HOPELESS or self._in_a_row >= _IN_A_ROW:
            self._stop(error)

    def _stop(self, error: Exception) -> None:
        self.stopped = self.stopped or str(error)


def kept_secret(folder: Path | None) -> bytes:
    """What no author of a trajectory knows: made once for a folder of answers, so that questions stay the same."""
    if folder is None:
        return secrets.token_bytes(32)
    path = folder / "secret"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(secrets.token_bytes(32))
        except FileExistsError:
            pass
        kept = path.read_bytes()
    except OSError as error:
        raise StoreError(f"the folder of answers {str(folder)!r} cannot be used: {error}; give another one") from None
    if len(kept) != 32:
        raise StoreError(f"{str(path)!r} is damaged; delete the folder, which costs asking again")
    return kept
