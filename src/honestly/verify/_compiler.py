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

_LARGEST, _MOST_FILES, _PATIENCE_S = 1 << 20, 100, 10.0
_REMEMBERED = 512
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
        self._turn = anyio.Lock(fast_acquire=True)

    async def compiled(self, tree: Tree) -> Tree:
        """The tree with cached code for its Python files, and without whatever cached code it came with.

        What does not compile, or not in time, goes without: the check that imports it then finds out.
        """
        sources = {path: file for path, file in tree.files.items() if "__pycache__/" not in path}
        code: dict[str, File] = {}
        for path, file in sources.items():
            if path.endswith(".py") and file.mode != "link" and len(file.data) <= _LARGEST and len(code) < _MOST_FILES:
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
                known = self._known[source] = await self._ask(source)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return known

    async def _ask(self, source: bytes) -> bytes:
        try:
            with anyio.fail_after(_PATIENCE_S):
                guest = self._guest or await self._begin()
                await guest.send(wire.START, source)
                return (await guest.receive())[1]
        except (GuestGone, TimeoutError):
            await self._end()
        return b""

    async def _begin(self) -> Guest:
        ours, theirs = socket.socketpair()
        with theirs:
            self._guest = Guest(ours)
            await self._nursery.fork(theirs)
        return self._guest

    async def _end(self) -> None:
        if self._guest is not None:
            self._guest.close()
            self._guest = None
            await self._nursery.clear()


def _cached(name: str) -> str:
    return f"__pycache__/{name.removesuffix('.py')}.{_TAG}.pyc"
