"""A provider of sandboxes: the usual ones, with less memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from honestly.records import Tree
from honestly.sandbox import Layout, Limits, Sandbox, open_sandbox

__all__ = ["provider"]


@asynccontextmanager
async def provider(tree: Tree, limits: Limits, layout: Layout) -> AsyncIterator[Sandbox]:
    """A sandbox whose workspace holds the files of `tree`; on leaving, everything inside is killed."""
    async with open_sandbox(tree, replace(limits, memory_mb=256), layout=layout) as box:
        yield box
