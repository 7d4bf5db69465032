"""Sources compiled ahead: each Python file of a workspace gets the cached code beside it that an import looks for."""

from __future__ import annotations

import importlib.util
import socket
import sys
from collections import OrderedDict

import anyio

from honestly.records import File, Tree
from honestly.verify._guest import wire
from honestly.verify._guests import Guest, GuestGone
from honestly.verify._nursery import Nursery

__all__ = ["Compiler"]

_PATIENCE_S = 1.0
"""For all files of a tree, waiting for one's turn included: what a hostile source takes longer, it takes from its own
checks, and from nobody else's."""
_LARGEST, _MOST_FILES = 1 << 20, 100
_LARGEST_CODE, _REMEMBERED = 2 << 20, 64 << 20
"""Bytes. One line can become twenty times as much code."""
_TAG = sys.implementation.cache_tag
_HEAD = importlib.util.MAGIC_NUMBER + (3).to_bytes(4, "little")
"""Of a file of cached code that belongs to its source whatever the clock says, until somebody changes it (PEP 552).

A check may write another source over it, so the hash of the source follows, which every import compares.
"""


class Compiler:
    """A process in a sandbox of its own that compiles sources; begun when it is first needed, anew when it dies."""

    def __init__(self, nursery: Nursery) -> None:
        self._nursery = nursery
        self._guest: Guest | None = None
        self._known: OrderedDict[bytes, bytes] = OrderedDict()
        self._bytes = 0
        self._turn = anyio.Lock(fast_acquire=True)

    async def compiled(self, tree: Tree) -> Tree:
        """The tree with cached code for its Python files, and without whatever cached code it came with.

        What does not compile, or not in time, goes without: the check that imports it then finds out.
        """
        sources = {path: file for path, file in tree.files.items() if "__pycache__/" not in path}
        code: dict[str, File] = {}
        with anyio.move_on_after(_PATIENCE_S):
            for path, file in sources.items():
                if (
                    path.endswith(".py")
                    and file.mode != "link"
                    and len(file.data) <= _LARGEST
                    and len(code) < _MOST_FILES
                ):
                    data = await self._code(file.data)
                    if data:
                        folder, _, name = path.rpartition("/")
                        target = f"{folder}/{_cached(name)}" if folder else _cached(name)
                        code[target] = File(data=_HEAD + importlib.util.source_hash(file.data) + data)
        return Tree(files={**sources, **code})

    async def _code(self, source: bytes) -> bytes:
        known = self._known.get(source)
        if known is None:
            async with self._turn:
                known = await self._ask(source)
            self._remember(source, known)
        return known

    def _remember(self, source: bytes, code: bytes) -> None:
        self._bytes += len(source) + len(code) if source not in self._known else 0
        self._known[source] = code
        while self._bytes > _REMEMBERED:
            self._bytes -= sum(map(len, self._known.popitem(last=False)))

    async def _ask(self, source: bytes) -> bytes:
        """Code of a source; nothing if there is none, or too much.

        A process that did not answer, whoever lost patience with it, is ended: its answer, when it came, would be taken
        for the next source's.
        """
        guest = self._guest or await self._begin()
        self._guest = None
        try:
            await guest.send(wire.START, source)
            code = (await guest.receive())[1]
            self._guest = guest
        except GuestGone:
            return b""
        finally:
            if self._guest is None:
                guest.close()
                with anyio.CancelScope(shield=True):
                    await self._nursery.clear()
        return code if len(code) <= _LARGEST_CODE else b""

    async def _begin(self) -> Guest:
        ours, theirs = socket.socketpair()
        guest = Guest(ours)
        with theirs, anyio.CancelScope(shield=True):
            await self._nursery.fork(theirs)
        return guest


def _cached(name: str) -> str:
    return f"__pycache__/{name.removesuffix('.py')}.{_TAG}.pyc"
