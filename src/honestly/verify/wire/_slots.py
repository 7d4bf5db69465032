"""Slots: a grader's sandbox and a candidate's, kept open from one verification to the next.

Opening sandboxes and starting interpreters costs ten times what a check costs, so both are done once per slot. What
keeps verifications apart is that every check has a fresh process, which is killed with all that it started and whose
files are deleted, and that nothing of one candidate ever enters the memory of a process that lives longer than it.
A slot about which there is any doubt is closed, and a new one opened.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from itertools import cycle
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from honestly.errors import VerifierError
from honestly.records import Tree
from honestly.sandbox import Layout, Limits
from honestly.verify.wire._compiler import Compiler
from honestly.verify.wire._guests import Guest, GuestGone
from honestly.verify.wire._nursery import Nursery, nursery, ready

if TYPE_CHECKING:
    from honestly.sandbox import Egress, Sandbox

__all__ = ["OpenBox", "Slot", "Slots", "shared"]

_MOST_USES = 250
"""Checks that one grader runs: enough that its start costs nothing, too few for its own limits to matter."""

_PLAIN = Layout()
_USUAL = Limits()


class OpenBox(Protocol):
    """Opens a fresh sandbox over a tree of files. Harbor's scripts and other people's programs need their own."""

    def __call__(
        self, tree: Tree, /, *, layout: Layout = ..., limits: Limits = ..., egress: Egress | None = ...
    ) -> AbstractAsyncContextManager[Sandbox]: ...


class Slot:
    """Two sandboxes, in which one verification at a time takes place."""

    def __init__(self, near: Nursery, far: Nursery, core: int) -> None:
        self.far = far
        self.core = core
        """The processor to which both sandboxes keep during a series."""
        self.spoilt = False
        """Not to be used again."""
        self.told = False
        """The candidate's sandbox has handled a check's files or commands: its keeper, of whose memory each fork gets a
        copy, may remember what the solution under test said. Not to be used for another one."""
        self.uses = 0
        """Checks that the present grader has been asked for."""
        self._near = near
        self._grader: Guest | None = None
        self._checks = ""

    async def grader(self, files: Tree, name: str) -> Guest:
        """The process that runs checks, with the files of a set of them.

        Args:
            files: what it needs.
            name: what tells sets of files apart.

        Raises:
            VerifierError: it ended before it had them.
        """
        if self.uses >= _MOST_USES:
            await self.end_grader()
        if self._grader is None:
            ours, theirs = socket.socketpair()
            with theirs:
                self._grader, self._checks = Guest(ours), ""
                await self._near.fork(theirs)
        if self.lacks(name):
            await self._near.prepare(files)
            try:
                await self._grader.send_files(files)
            except GuestGone as error:
                raise VerifierError(f"the grader ended before it had its checks: {error}") from error
        self.uses += 1
        return self._grader

    def lacks(self, name: str) -> bool:
        """Whether the grader lacks a set of check files, and is given it now; no name if it is unclear what it has."""
        lacking, self._checks = self._checks != name, name
        return lacking

    async def end_grader(self) -> None:
        """Ends the process that runs checks; the next one is new."""
        self.uses = 0
        if self._grader is not None:
            self._grader.close()
            self._grader = None
            await self._near.clear()


class Slots:
    """As many slots as verifications run at once. Is itself an `OpenBox`."""

    def __init__(self, open_box: OpenBox) -> None:
        self._open_box = open_box
        self._idle: list[tuple[Slot, AsyncExitStack]] = []
        self.alone: set[str] = set()
        """Hashes of check files that need the host while they run."""
        self._compiler = Compiler(self.slot)
        self._cores = cycle(sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else [0])

    def __call__(
        self, tree: Tree, /, *, layout: Layout = _PLAIN, limits: Limits = _USUAL, egress: Egress | None = None
    ) -> AbstractAsyncContextManager[Sandbox]:
        if egress is not None:
            return self._open_box(tree, layout=layout, limits=limits, egress=egress)
        if limits is not _USUAL:
            return self._open_box(tree, layout=layout, limits=limits)
        return self._open_box(tree) if layout is _PLAIN else self._open_box(tree, layout=layout)

    async def __aenter__(self) -> Slots:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        while self._idle:
            await self._idle.pop()[1].aclose()

    async def compiled(self, tree: Tree) -> Tree:
        """The tree with cached code beside its Python files; see `Compiler.compiled`."""
        return await self._compiler.compiled(tree)

    async def compile_ahead(self, trees: Iterable[Tree]) -> None:
        """Compiles the small files of many trees at once; see `Compiler.ahead`."""
        await self._compiler.ahead(trees)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[Slot]:
        """A slot for one verification; one that is left by an exception, or spoilt, is closed.

        Raises:
            SandboxUnavailableError: this machine does not let us build a sandbox.
        """
        slot, stack = self._idle.pop() if self._idle else await self._open()
        try:
            yield slot
        except BaseException:
            await stack.aclose()
            raise
        if slot.spoilt:
            await stack.aclose()
        else:
            self._idle.append((slot, stack))

    async def _open(self) -> tuple[Slot, AsyncExitStack]:
        ready()
        async with AsyncExitStack() as stack:
            near = await nursery(await stack.enter_async_context(self._open_box(Tree())), "service")
            far = await nursery(await stack.enter_async_context(self._open_box(Tree())), "candidate")
            return Slot(near, far, next(self._cores)), stack.pop_all()
        raise AssertionError("an exit stack swallows nothing")


@asynccontextmanager
async def shared(open_box: OpenBox) -> AsyncIterator[Slots]:
    """`open_box` itself, if it is slots that live on; else slots for the time being."""
    if isinstance(open_box, Slots):
        yield open_box
        return
    async with Slots(open_box) as slots:
        yield slots
