"""Sources compiled ahead: each Python file of a workspace gets the cached code beside it that an import looks for."""

from __future__ import annotations

import importlib.util
import socket
import sys
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence

import anyio

from honestly.records import File, Tree
from honestly.verify._guest import wire
from honestly.verify._guests import Guest, GuestGone, frame
from honestly.verify._nursery import Nursery

__all__ = ["Compiler"]

_PATIENCE_S = 1.0
"""For all files of a tree, waiting for one's turn included: what a hostile source takes longer, it takes from its own
checks, and from nobody else's."""
_LARGEST, _MOST_FILES = 1 << 20, 100
_AHEAD = 64 << 10
"""Bytes of sources in one message, so that neither side ever waits for the other to read."""
_LARGEST_CODE, _REMEMBERED = 2 << 20, 4 << 20
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

    async def compiled(self, tree: Tree, *, again: bool = False) -> Tree:
        """The tree with cached code for its Python files, and without whatever cached code it came with.

        What does not compile, or not in time, goes without: the check that imports it then finds out.

        Args:
            tree: the files.
            again: whether some of the files will come again, and their code is to be remembered.
        """
        files = {path: file for path, file in tree.files.items() if "__pycache__/" not in path}
        sources = [(path, file.data) for path, file in files.items() if _is_source(path, file)][:_MOST_FILES]
        if any(source not in self._known for _, source in sources):
            with anyio.move_on_after(_PATIENCE_S):
                await self._learn_each(source for _, source in sources)
        for path, source in sources:
            if code := self._known.get(source):
                folder, slash, name = path.rpartition("/")
                files[folder + slash + _cached(name)] = File(data=_HEAD + importlib.util.source_hash(source) + code)
        if not again:
            for source in {source for _, source in sources if self._known.get(source)}:
                self._forget(source)
        return Tree(files=files)

    async def ahead(self, trees: Iterable[Tree]) -> None:
        """Compiles the small Python files of many trees, all in one message.

        If one of them takes too long or kills the process, that was in vain for those behind it, no more.
        """
        sources = dict.fromkeys(
            file.data for tree in trees for path, file in tree.files.items() if _is_source(path, file)
        )
        room, wanted = _AHEAD, list[bytes]()
        for source in sources:
            if source not in self._known and len(source) <= room:
                room -= len(source)
                wanted.append(source)
        if wanted:
            async with self._turn:
                with anyio.move_on_after(_PATIENCE_S):
                    await self._learn(wanted)

    async def _learn_each(self, sources: Iterable[bytes]) -> None:
        for source in sources:
            if source not in self._known:
                async with self._turn:
                    await self._learn([source])

    def _remember(self, source: bytes, code: bytes) -> None:
        if source in self._known:
            self._forget(source)
        self._known[source] = code
        self._bytes += len(source) + len(code)
        while self._bytes > _REMEMBERED:
            self._forget(next(iter(self._known)))

    def _forget(self, source: bytes) -> None:
        self._bytes -= len(source) + len(self._known.pop(source))

    async def _learn(self, sources: Sequence[bytes]) -> None:
        """Asks for the code of sources, in one message that fits the socket; nothing is theirs that have none.

        A process that did not answer, whoever lost patience with it, is ended: its answer, when it came, would be taken
        for the next source's.
        """
        guest, left = self._guest or await self._begin(), deque(sources)
        self._guest = None
        try:
            await guest.write(b"".join(frame(wire.START, source) for source in sources))
            while left:
                code = (await guest.receive())[1]
                self._remember(left.popleft(), code if len(code) <= _LARGEST_CODE else b"")
            self._guest = guest
        except GuestGone:
            self._remember(left[0], b"")
        finally:
            if self._guest is None:
                guest.close()
                with anyio.CancelScope(shield=True):
                    await self._nursery.clear()

    async def _begin(self) -> Guest:
        ours, theirs = socket.socketpair()
        guest = Guest(ours)
        with theirs, anyio.CancelScope(shield=True):
            await self._nursery.fork(theirs)
        return guest


def _is_source(path: str, file: File) -> bool:
    return path.endswith(".py") and file.mode != "link" and len(file.data) <= _LARGEST


def _cached(name: str) -> str:
    return f"__pycache__/{name.removesuffix('.py')}.{_TAG}.pyc"
