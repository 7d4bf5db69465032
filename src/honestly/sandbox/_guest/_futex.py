"""Waiting for a word of memory that processes share, in place of the kernel.

The kernel knows the word of such a wait by file and page. Pages of a file of the machine are the same in all boxes,
whatever inodes they show, so whoever waits there could be counted, or woken, by code of another box. So the filter
(`_seccomp`) hands these waits over, and nobody waits in the kernel: a process for each box, which is forked when the
first one comes, looks at the words in its callers' memory every few milliseconds. It answers when a word has changed,
when the time is over, when a process of the box wakes that word, or after a while for nothing, which callers must
expect. Nothing of another box is in its reach.

Threads of one process wait and wake with a flag that makes words their own, and pay nothing. Joining a thread in C,
semaphores and locks between processes come here.

So does `sysinfo`, which tells the machine's load and free memory: it gets an answer that never changes. Since every
Python and every shell asks it once, the zygote answers the first few of a box (`answer_sysinfo`), without that process.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import select
import struct
import time
from contextlib import suppress
from dataclasses import dataclass

from . import _kernel
from ._seccomp import SYSINFO

_RECEIVE, _SEND, _STILL_THERE = 0xC0502100, 0xC0182101, 0x40082102
_REQUEST = struct.Struct("=QIIiIQ6Q")
_REPLY = struct.Struct("=QqiI")
_TIME = struct.Struct("=qq")
_WAIT, _WAKE, _WAIT_BITSET, _WAKE_BITSET = 0, 1, 9, 10
_REAL_TIME = 256
_OF_MEMORY = 1 << 19 | 1 << 1  # SYS_PTRACE, and DAC_OVERRIDE for the file in /proc
_FIRST_S, _LONGEST_S, _PATIENCE_S = 0.00005, 0.004, 0.05
_PAGE = 4096


@dataclass(slots=True)
class _Wait:
    """A thread that waits."""

    pid: int
    place: int
    value: int
    until: float
    """When its time is over, by the clock that it asked for."""
    real: bool
    began: float
    pause: float = _FIRST_S
    look: float = 0.0


def receive(listener: int) -> bytes:
    """The next call that came by what the filter has handed out; empty if its maker was killed, or got a signal."""
    request = bytearray(_REQUEST.size)
    with suppress(OSError):
        fcntl.ioctl(listener, _RECEIVE, request)
        return bytes(request)
    return b""


def answer_sysinfo(listener: int, request: bytes) -> bool:
    """Answer a call if it asks for the machine's load; returns whether it did."""
    key, pid, _, number, _, _, place, *_ = _REQUEST.unpack(request)
    if number != SYSINFO:
        return False
    _send_reply(listener, key, 0, _describe(listener, key, pid, place))
    return True


def serve(listener: int, request: bytes) -> None:
    """Answer waits and wakes of a box, until no process of it is left.

    Args:
        listener: What the filter has handed out.
        request: What was received already; or nothing.
    """
    _kernel.set_process_option(_kernel.PR_SET_DUMPABLE, 0)
    with suppress(OSError):  # over a box of its own making, an ordinary user has the right anyway
        _kernel.keep_capabilities(_OF_MEMORY)
    waiting = select.poll()
    waiting.register(listener)
    waits: dict[int, _Wait] = {}
    if request:
        _take_call(listener, request, waits)
    while True:
        due = min((wait.look for wait in waits.values()), default=None)
        # Not by the poll, which counts in milliseconds.
        if select.select([listener], [], [], None if due is None else max(0.0, due - time.monotonic()))[0]:
            if waiting.poll(0)[0][1] & select.POLLHUP:
                return
            if request := receive(listener):
                _take_call(listener, request, waits)
        now = time.monotonic()
        for key, wait in list(waits.items()):
            if wait.look <= now and (answer := _wait_result(wait, now)) is not None:
                del waits[key]
                _send_reply(listener, key, 0, answer)


def _take_call(listener: int, request: bytes, waits: dict[int, _Wait]) -> None:
    """Answer a call, begin a wait, or end those that it wakes."""
    if answer_sysinfo(listener, request):
        return
    key, pid, _, _, _, _, place, order, value, timeout, _, bits = _REQUEST.unpack(request)
    order, real, value = order & 0x7F, bool(order & _REAL_TIME), value & 0xFFFFFFFF
    if order in (_WAKE, _WAKE_BITSET):
        # A word has an address of its own in each process, of which only the place in the page is the same. Who is
        # woken for nothing looks again.
        woken = [other for other, wait in waits.items() if wait.place % _PAGE == place % _PAGE]
        for other in woken:
            del waits[other]
            _send_reply(listener, other, 0, 0)
        _send_reply(listener, key, min(len(woken), value), 0)
        return
    now = time.monotonic()
    wait = _Wait(pid, place, value, float("inf"), real and order == _WAIT_BITSET, now)
    if timeout and (limit := _memory_bytes(pid, timeout, _TIME.size)):
        seconds, rest = _TIME.unpack(limit)
        wait.until = seconds + rest / 1e9 + (now if order == _WAIT else 0.0)
        if seconds < 0 or not 0 <= rest < 10**9:
            _send_reply(listener, key, 0, errno.EINVAL)
            return
    if place % 4 or (order == _WAIT_BITSET and not bits & 0xFFFFFFFF):
        _send_reply(listener, key, 0, errno.EINVAL)
        return
    answer = _wait_result(wait, now)
    if answer is None:
        waits[key] = wait
    else:
        _send_reply(listener, key, 0, answer or errno.EAGAIN)


def _describe(listener: int, key: int, pid: int, place: int) -> int:
    """Write what `sysinfo` tells to a caller's memory; returns 0, or an errno."""
    half = _ROOM.totalram // 2
    with suppress(OSError):
        memory = os.open(f"/proc/{pid}/mem", os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(listener, _STILL_THERE, struct.pack("Q", key))  # or the number might be somebody else's by now
            os.pwrite(
                memory, bytes(_Room(1000, totalram=2 * half, freeram=half, procs=1, mem_unit=_ROOM.mem_unit)), place
            )
        finally:
            os.close(memory)
        return 0
    return errno.EFAULT


def _wait_result(wait: _Wait, now: float) -> int | None:
    """The result of a wait: 0 or an errno; None if it goes on."""
    word = _memory_bytes(wait.pid, wait.place, 4)
    if word is not None and int.from_bytes(word, "little") != wait.value:
        return 0
    if (time.time() if wait.real else now) >= wait.until:
        return errno.ETIMEDOUT
    if now - wait.began >= _PATIENCE_S:
        return 0
    wait.look = now + wait.pause
    wait.pause = min(2 * wait.pause, _LONGEST_S)
    return None


def _send_reply(listener: int, key: int, value: int, error: int) -> None:
    with suppress(OSError):  # it was killed, or got a signal
        fcntl.ioctl(listener, _SEND, _REPLY.pack(key, value, -error, 0))


class _Room(ctypes.Structure):
    _fields_ = (
        ("uptime", ctypes.c_long),
        ("loads", ctypes.c_ulong * 3),
        ("totalram", ctypes.c_ulong),
        ("freeram", ctypes.c_ulong),
        ("sharedram", ctypes.c_ulong),
        ("bufferram", ctypes.c_ulong),
        ("totalswap", ctypes.c_ulong),
        ("freeswap", ctypes.c_ulong),
        ("procs", ctypes.c_ushort),
        ("totalhigh", ctypes.c_ulong),
        ("freehigh", ctypes.c_ulong),
        ("mem_unit", ctypes.c_uint32),
    )


_ROOM = _Room()
_kernel.libc.sysinfo(ctypes.byref(_ROOM))


class _Span(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


_read_memory = _kernel.libc["process_vm_readv"]
_pointer = ctypes.POINTER(_Span)
_read_memory.argtypes = [ctypes.c_int, _pointer, ctypes.c_ulong, _pointer, ctypes.c_ulong, ctypes.c_ulong]
_read_memory.restype = ctypes.c_ssize_t


def _memory_bytes(pid: int, place: int, length: int) -> bytes | None:
    """Bytes of a process's memory; None if they cannot be read."""
    buffer = ctypes.create_string_buffer(length)
    here, there = _Span(ctypes.addressof(buffer), length), _Span(place, length)
    return buffer.raw if _read_memory(pid, here, 1, there, 1, 0) == length else None
