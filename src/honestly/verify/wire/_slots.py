"""Slots: a grader's sandbox, kept open from one verification to the next, and one for candidates, which is not.

Opening sandboxes and starting interpreters costs ten times what a check does. So what is trusted is kept: graders, and
the keepers from which candidates are forked. What a candidate can write to is not, since a later one could read it:

- In a series, each candidate is a cell (`honestly.sandbox.Extent.CELLS`), with which everything ends that it did.
- By itself, a verification has a candidate's sandbox that is opened for it and closed after it. Between the checks of
  one verification, all processes there are killed and all files deleted.

A slot about which there is any doubt is closed, and a new one opened. What persists where is in docs/memory.md.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import cycle
from types import TracebackType
from typing import TYPE_CHECKING

from honestly.records import Tree
from honestly.sandbox import Extent, Layout, Limits
from honestly.verify._open import OpenBox
from honestly.verify._phases import Phases, open_phases
from honestly.verify.wire._compiler import Compiler
from honestly.verify.wire._nursery import Nursery, make_nursery
from honestly.verify.wire._slot import Slot

if TYPE_CHECKING:
    from honestly.sandbox import Egress, Sandbox

_PLAIN = Layout()
_USUAL = Limits()


class Slots:
    """Pool of slots, one for each verification that runs at the same time; it is itself an `OpenBox`."""

    phases: Phases | None = None
    """When agents may work and when they are judged, while the pool is open."""

    def __init__(
        self,
        open_box: OpenBox,
        extent: Extent = Extent.MACHINE,
        open_judging: OpenBox | None = None,
        judged: float = math.inf,
    ) -> None:
        """A pool of slots.

        Args:
            open_box: opens sandboxes.
            extent: to which those of candidates are opened that are judged by themselves.
            open_judging: opens those of graders and their candidates, where `open_box` gives some that take no sockets.
            judged: works that are judged at a time.
        """
        self._judged, self._stack = judged, AsyncExitStack()
        self._open_box = open_box
        self._open_judging = open_judging or open_box
        self._extent = extent
        self._idle: list[tuple[Slot, AsyncExitStack]] = []
        self.alone: set[str] = set()
        """Hashes of check files that need the host while they run."""
        self.compiler = Compiler(partial(self.slot_for, series=True))
        self._cores = cycle(sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else [0])

    def __call__(
        self,
        tree: Tree,
        /,
        *,
        layout: Layout = _PLAIN,
        limits: Limits = _USUAL,
        egress: Egress | None = None,
        extent: Extent = Extent.MACHINE,
    ) -> AbstractAsyncContextManager[Sandbox]:
        if extent is not Extent.MACHINE:
            return self._open_box(tree, layout=layout, limits=limits, extent=extent)
        if egress is not None:
            return self._open_box(tree, layout=layout, limits=limits, egress=egress)
        if limits is not _USUAL:
            return self._open_box(tree, layout=layout, limits=limits)
        return self._open_box(tree) if layout is _PLAIN else self._open_box(tree, layout=layout)

    async def __aenter__(self) -> Slots:
        self.phases = await self._stack.enter_async_context(open_phases(self._judged))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            while self._idle:
                await self._idle.pop()[1].aclose()
        finally:
            self.phases = None
            await self._stack.__aexit__(kind, error, trace)

    @asynccontextmanager
    async def slot_for(self, *, series: bool = False) -> AsyncIterator[Slot]:
        """A slot for one verification, or for a series; one that is left by an exception, or spoilt, is closed.

        Raises:
            SandboxUnavailableError: this machine does not let us build a sandbox.
        """
        slot, stack = self._idle.pop() if self._idle else await self._open_slot()
        try:
            async with AsyncExitStack() as once:
                if not series:
                    slot.far = await self._open_candidates(once, self._extent)
                else:
                    slot.far = slot.cells = slot.cells or await self._open_candidates(stack, Extent.CELLS)
                yield slot
        except BaseException:
            await stack.aclose()
            raise
        if slot.spoilt:
            await stack.aclose()
        else:
            self._idle.append((slot, stack))

    async def _open_candidates(self, stack: AsyncExitStack, extent: Extent) -> Nursery:
        judging = self._open_judging
        opened = judging(Tree()) if extent is Extent.MACHINE else judging(Tree(), extent=extent)
        return await make_nursery(await stack.enter_async_context(opened), "candidate", cells=extent is Extent.CELLS)

    async def _open_slot(self) -> tuple[Slot, AsyncExitStack]:
        async with AsyncExitStack() as stack:
            near = await make_nursery(await stack.enter_async_context(self._open_judging(Tree())), "service")
            return Slot(near, next(self._cores)), stack.pop_all()
        raise AssertionError("an exit stack swallows nothing")


@asynccontextmanager
async def shared_slots(open_box: OpenBox) -> AsyncIterator[Slots]:
    """`open_box` itself, if it is slots that live on; else slots for the time being."""
    if isinstance(open_box, Slots):
        yield open_box
        return
    async with Slots(open_box) as slots:
        yield slots
