"""Requests to a keeper and its replies, over one socket, for any number of waiting tasks.

There is no background task, so that a sandbox needs no task group and no error arrives wrapped in a group: of the tasks
that wait for a reply, one reads from the socket for all; when it has its own, the next one takes over. What arrives is
read as hostile: lengths are checked before memory is taken, and any violation ends the channel.
"""

import socket
from collections.abc import Sequence
from contextlib import suppress

import anyio
import anyio.lowlevel

from honestly.errors import SandboxError, SandboxLimitError, SandboxUnavailableError
from honestly.sandbox._guest import _wire, frames
from honestly.sandbox._machine import refusal_advice
from honestly.sandbox._pausing import Patience

GRACE_S = 60.0
"""How long a keeper may take for work that should take milliseconds, before it is given up."""
FOREVER_S = 1e7

_CHUNK = 1 << 18
_GONE = "the sandbox is gone: its keeper has ended"
_STATUS: dict[bytes, type[SandboxError]] = {b"error": SandboxError, b"limit": SandboxLimitError}


class Call:
    """A request on its way, and then its reply."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.reply: list[bytes] | None = None


class Channel:
    """One end of a keeper's socket."""

    def __init__(self, peer: socket.socket, at_most: int) -> None:
        """Take over a socket.

        Args:
            peer: The socket.
            at_most: Bytes that one reply may have.
        """
        peer.setblocking(False)
        self._channel = peer
        self._at_most = at_most
        self._calls: dict[bytes, Call] = {}
        self._count = 0
        self._reading = False
        self._sleeping: list[tuple[Call, anyio.Event]] = []
        self._inbox = bytearray()
        self._sending = anyio.Lock(fast_acquire=True)
        self._gone = False
        self._broken = ""
        self.patience = Patience()

    async def close(self) -> None:
        """Hang up, and wait until the keeper has killed everything inside and is gone; idempotent."""
        if self._channel.fileno() < 0:
            return
        self._fail("the sandbox is closed")
        # Only this direction: the keeper hangs up in turn once all inside is dead, and that is waited for.
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_WR)
        with anyio.move_on_after(GRACE_S, shield=True):
            last = Call(b"")
            while not self._gone:
                await self._take_turn(last)
        self._channel.close()

    async def ask_keeper(self, name: bytes, *arguments: bytes, patience: float = GRACE_S) -> list[bytes]:
        """Send a request and wait for the fields of its reply; see `send` and `reply`."""
        call = await self.send(name, *arguments)
        try:
            return await self.reply(call, patience)
        finally:
            self._calls.pop(call.key, None)

    async def order_kill(self, call: Call) -> None:
        """Have a call's command killed, even if cancelled; a channel that is gone is no error."""
        with anyio.CancelScope(shield=True), suppress(SandboxError):
            order = await self.send(b"kill", call.key)
            self._calls.pop(order.key, None)  # the only request without a reply

    async def give_up(self, call: Call) -> None:
        """Kill a call's command, and wait until it is dead, even if cancelled."""
        await self.order_kill(call)
        with anyio.CancelScope(shield=True), suppress(SandboxError):
            await self.reply(call, GRACE_S)

    async def send(self, name: bytes, *arguments: bytes, descriptors: Sequence[int] = ()) -> Call:
        """Send a request. A cancellation waits until it is sent, since half of a frame would spoil all later ones."""
        await anyio.lowlevel.checkpoint_if_cancelled()
        self._count += 1
        call = Call(b"%d" % self._count)
        view = memoryview(_wire.pack_frame(call.key, name, *arguments))
        with anyio.CancelScope(shield=True):
            async with self._sending:
                self._check()
                self._calls[call.key] = call
                while view:
                    try:
                        sent = socket.send_fds(self._channel, [view[:_CHUNK]], descriptors)
                    except BlockingIOError:
                        await anyio.wait_writable(self._channel)
                        continue
                    except OSError:
                        break  # the keeper has ended; why, its last reply may say, which whoever waits now reads
                    view, descriptors = view[sent:], ()
        return call

    async def reply(self, call: Call, patience: float) -> list[bytes]:
        """Wait for the reply to a call; again, if the first time was cancelled.

        Raises:
            SandboxError: The reply is an error, or there was none.
        """
        with self.patience.unpaused_limit(patience) as scope:
            while call.reply is None:
                self._check()
                await self._take_turn(call)
        if scope.cancelled_caught:
            self._fail(f"the sandbox did not answer within {patience:.0f} s")
            self._check()
        if not call.reply:
            raise SandboxError("the sandbox sent an empty reply")
        status, *fields = call.reply
        if status == b"ok":
            return fields
        text = fields[0].decode(errors="replace") if fields else "it did not say why"
        if status == b"unavailable":
            raise SandboxUnavailableError(
                refusal_advice(text, int(fields[1]) if fields[1:] and fields[1].isdigit() else 0)
            )
        raise _STATUS.get(status, SandboxError)(text)

    async def _take_turn(self, call: Call) -> None:
        """Read from the socket until the call's reply is there; or, if another task does so, sleep until woken."""
        try:
            if self._reading:
                sleeper = call, anyio.Event()
                self._sleeping.append(sleeper)
                try:
                    await sleeper[1].wait()
                finally:
                    self._sleeping.remove(sleeper)
            else:
                self._reading = True
                try:
                    while call.reply is None and not self._gone:
                        await self._read_some()
                finally:
                    self._reading = False
        finally:
            # Whoever stops reading, or was woken to read and may have no need to, wakes the next.
            if self._sleeping and not self._reading:
                self._sleeping[0][1].set()

    async def _read_some(self) -> None:
        """Read what is there, and hand out the complete replies in it."""
        try:
            data = self._channel.recv(_CHUNK)
        except BlockingIOError:
            await anyio.wait_readable(self._channel)
            return
        except OSError:
            data = b""
        if not data:
            self._gone = True
            self._fail(_GONE)
            return
        self._inbox += data
        try:
            for reply in _wire.take_frames(self._inbox, self._at_most):
                call = self._calls.pop(reply[0], None)
                # None: who asked was cancelled meanwhile.
                if call:
                    call.reply = reply[1:]
                    self._wake_tasks(call)
        except (frames.FrameError, IndexError) as error:
            self._gone = True
            self._fail(f"the sandbox sent a malformed reply ({error})")

    def _check(self) -> None:
        if self._broken:
            raise SandboxError(self._broken)

    def _fail(self, reason: str) -> None:
        """Give up on the sandbox; whoever waits for a reply is told."""
        self._broken = self._broken or reason
        self._wake_tasks(None)

    def _wake_tasks(self, wanted: Call | None) -> None:
        """Wake the tasks that sleep for a call; for None, all."""
        for call, event in self._sleeping:
            if wanted is None or call is wanted:
                event.set()
