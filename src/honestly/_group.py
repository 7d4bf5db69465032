"""A task group whose error is the one that was raised in it, and no group of errors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup


@asynccontextmanager
async def flat_group() -> AsyncIterator[TaskGroup]:
    """As `anyio.create_task_group`; of several errors, the first is raised."""
    trouble: BaseException | None = None
    try:
        async with anyio.create_task_group() as group:
            yield group
    except BaseExceptionGroup as several:
        trouble = several.exceptions[0]
    if trouble is not None:  # outside of the handler, so that it does not name the group as its context
        raise trouble
