"""The host's end of a guest program's wire: frames over one end of a socket pair.

Sizes are bounded, so that a hostile guest cannot make the host hold more than one frame.
"""

from __future__ import annotations

import marshal
import socket
from collections.abc import Sequence

import anyio

from honestly.records import Tree
from honestly.verify._guest.wire import FILES, MAX_FRAME, MORE

__all__ = ["Guest", "GuestGone", "frame", "packed", "send_files"]

_CHUNK = 1 << 18
_FILES_FRAME = 8 << 20


class GuestGone(Exception):  # noqa: N818  (an event of the protocol, turned into data by the broker)
    """The guest ended, or sent what is not a frame."""


class Guest:
    """A running guest program."""

    def __init__(self, end: socket.socket) -> None:
        """Takes over `end`."""
        end.setblocking(False)
        self._socket = end
        self._buffer = bytearray()

    def close(self) -> None:
        """Hangs up."""
        self._socket.close()

    async def send(self, kind: bytes, payload: bytes, *, descriptor: int | None = None) -> None:
        """Sends one frame, and a descriptor with it where one is given.

        Raises:
            GuestGone: the guest no longer reads.
        """
        await self.write(frame(kind, payload), [] if descriptor is None else [descriptor])

    async def receive(self) -> tuple[bytes, bytes]:
        """Next frame: its kind and payload.

        Raises:
            GuestGone: the guest ended, or announces a frame that is too large.
        """
        head = await self._exactly(5)
        size = int.from_bytes(head[:4], "big")
        if size > MAX_FRAME:
            raise GuestGone(f"a frame of {size} bytes was announced; {MAX_FRAME} are allowed")
        return head[4:], await self._exactly(size)

    async def receive_some(self) -> list[tuple[bytes, bytes]]:
        """All whole frames that have come; waits for the first. Raises what `receive` does."""
        frames = [await self.receive()]
        at, buffer = 0, self._buffer
        while len(buffer) - at >= 5:
            end = at + 5 + int.from_bytes(buffer[at : at + 4], "big")
            if end > len(buffer):
                break
            frames.append((bytes(buffer[at + 4 : at + 5]), bytes(buffer[at + 5 : end])))
            at = end
        del buffer[:at]
        return frames

    async def write(self, data: bytes, descriptors: Sequence[int] = ()) -> None:
        """Sends bytes as they are, and descriptors with the first of them.

        Raises:
            GuestGone: the guest no longer reads.
        """
        await _write(self._socket, data, descriptors)

    async def send_files(self, tree: Tree) -> None:
        """Sends a tree, in the form that `wire.plant` takes; see `send_files`."""
        await send_files(self._socket, tree)

    async def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            try:
                part = self._socket.recv(_CHUNK)
            except BlockingIOError:
                await anyio.wait_readable(self._socket)
                continue
            except OSError as error:
                raise GuestGone(str(error)) from error
            if not part:
                raise GuestGone("the process ended")
            self._buffer += part
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data


def frame(kind: bytes, payload: bytes) -> bytes:
    """A frame as it goes over the wire."""
    return len(payload).to_bytes(4, "big") + kind + payload


def packed(tree: Tree) -> bytes:
    """A tree as frames, in the form that `wire.take_files` takes."""
    links_last = sorted(tree.files.items(), key=lambda item: item[1].mode == "link")
    data = marshal.dumps([(file.mode, path, file.data) for path, file in links_last])
    *parts, last = [data[start : start + _FILES_FRAME] for start in range(0, len(data), _FILES_FRAME)]
    return b"".join([*(frame(MORE, part) for part in parts), frame(FILES, last)])


async def send_files(end: socket.socket, tree: Tree) -> None:
    """Sends a tree over a non-blocking socket, at once, so that the other side wakes only once.

    Raises:
        GuestGone: nobody reads it.
    """
    await _write(end, packed(tree))


async def _write(end: socket.socket, data: bytes, descriptors: Sequence[int] = ()) -> None:
    view = memoryview(data)
    while view:
        try:
            sent = socket.send_fds(end, [view[:_CHUNK]], list(descriptors))
        except BlockingIOError:
            await anyio.wait_writable(end)
        except OSError as error:
            raise GuestGone(str(error)) from error
        else:
            view, descriptors = view[sent:], ()
