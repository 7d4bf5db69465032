"""Solutions compiled ahead: each Python file of a workspace gets the cached code beside it that an import looks for.

Only what is under test: check files never come near a process that has a line of it, and their grader compiles them.
"""

import importlib.util
import socket
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

import anyio

from honestly.records import File, Tree
from honestly.sandbox._guest.frames import pack_frame
from honestly.verify._guest import wire
from honestly.verify.wire._channel import ChannelGone, HostChannel
from honestly.verify.wire._slot import Slot

_PATIENCE_S = 1.0
"""For all that is compiled in one process: what a hostile source takes longer, it takes from its own checks."""
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
    """Has solutions compiled in slots, and remembers the code of those that were judged last."""

    def __init__(self, slot: Callable[[], AbstractAsyncContextManager[Slot]]) -> None:
        """Compile in what `slot` gives."""
        self._slot = slot
        self._known: OrderedDict[bytes, bytes] = OrderedDict()
        self._bytes = 0

    async def compiled_tree(self, tree: Tree, slot: Slot | None = None) -> Tree:
        """The tree with cached code for its Python files, and without whatever cached code it came with.

        What does not compile, or not in time, goes without: the check that imports it then finds out.

        Args:
            tree: what is to be judged.
            slot: where to compile; one of the compiler's own if None.
        """
        files = {path: file for path, file in tree.files.items() if "__pycache__/" not in path}
        sources = [(path, file.data) for path, file in files.items() if _is_source(path, file)][:_MOST_FILES]
        if wanted := [[source] for _, source in sources if source not in self._known]:
            await self._learn_code(wanted, slot)
        for path, source in sources:
            if code := self._known.get(source):
                folder, slash, name = path.rpartition("/")
                cached = f"{folder}{slash}__pycache__/{name.removesuffix('.py')}.{_TAG}.pyc"
                files[cached] = File(data=_HEAD + importlib.util.source_hash(source) + code)
                self._known.move_to_end(source)
        return Tree(files=files)

    async def compile_ahead(self, trees: Iterable[Tree]) -> None:
        """Compiles the small Python files of many trees in one process, as many in a message as fit.

        If one of them takes too long or kills the process, that was in vain for those behind it, no more.
        """
        sources = dict.fromkeys(
            file.data for tree in trees for path, file in tree.files.items() if _is_source(path, file)
        )
        room, batches = 0, list[list[bytes]]()
        for source in sources:
            if source not in self._known and len(source) <= _AHEAD:
                if not batches or len(source) > room:
                    room = _AHEAD
                    batches.append([])
                room -= len(source)
                batches[-1].append(source)
        if batches:
            await self._learn_code(batches)

    def _remember_code(self, source: bytes, code: bytes) -> None:
        if source in self._known:
            self._forget(source)
        self._known[source] = code
        self._bytes += len(source) + len(code)
        while self._bytes > _REMEMBERED:
            self._forget(next(iter(self._known)))

    def _forget(self, source: bytes) -> None:
        self._bytes -= len(source) + len(self._known.pop(source))

    async def _learn_code(self, batches: Sequence[Sequence[bytes]], slot: Slot | None = None) -> None:
        """Asks for the code of sources, batch by batch, each in one message that fits the socket.

        The process is a fresh one in the sandbox of a slot's candidates, in which nothing else happens meanwhile. A
        source that kills it, or takes too long, has no code, and those behind it have none yet.
        """
        async with nullcontext(slot) if slot else self._slot() as slot:
            ours, theirs = socket.socketpair()
            guest = HostChannel(ours)
            try:
                with theirs, anyio.CancelScope(shield=True):
                    await slot.far.fork(theirs)
                with anyio.move_on_after(_PATIENCE_S):
                    for batch in batches:
                        left = deque(batch)
                        try:
                            await guest.write(b"".join(pack_frame(wire.START, source) for source in batch))
                            while left:
                                code = (await guest.receive())[1]
                                self._remember_code(left.popleft(), code if len(code) <= _LARGEST_CODE else b"")
                        except ChannelGone:
                            self._remember_code(left[0], b"")
                            raise
            except ChannelGone:
                pass
            finally:
                guest.close()
                with anyio.CancelScope(shield=True):
                    await slot.far.clear()


def _is_source(path: str, file: File) -> bool:
    return path.endswith(".py") and file.mode != "link" and len(file.data) <= _LARGEST
