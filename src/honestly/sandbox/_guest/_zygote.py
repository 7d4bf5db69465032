"""The process from which all boxes of a program are forked: started once, so that a box costs a fork, not a Python.

It reads messages from a socket on descriptor 0. Each carries one end of a new socket, for which it forks a keeper, of a
box or of cells. A keeper hands over what its box asks of the kernel and gets from us (`_futex`): for the first waits
for shared memory the zygote forks a process that sees to them from then on. The zygote ends when
the program that started it does, by end of file or by pidfd; keepers notice the same for themselves. It never runs
anything else, and all that it keeps is which control groups are free (`_groups`).
"""

from __future__ import annotations

import fcntl
import gc
import json  # noqa: F401 - what most forks of keepers need is in memory once for all boxes
import os
import select
import signal
import socket
import struct
import sys
import typing  # noqa: F401 - the same
import unittest  # noqa: F401 - the same, and half of what solutions import
from contextlib import suppress

from . import _forks, _futex, _kernel, _proc
from ._groups import Group, Pool, open_pool
from ._ids import Identity, choose_identity
from ._keeper import serve

_OFD_SETLK = 37
_ANSWERS = 64
"""Of a box that come from here, so that none can keep this process busy."""
_LISTENERS = 256
"""Of boxes at one time that get these."""
_LOCK_AGAIN_MS = 100  # while another program's zygote has the locks
_LAST_S = 10  # for keepers to end, once the program has


def main(parent: int) -> None:
    """Fork a keeper for every socket received, until the process `parent` ends or hangs up."""
    _settle_process()
    sys.path.pop()  # where this package is: in a box, there might be somebody else's
    orders = socket.socket(fileno=os.dup(0))
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    try:
        owner = os.pidfd_open(parent)
    except ProcessLookupError:  # killed while this process began
        return
    if os.getppid() != parent:
        return
    identity = choose_identity()
    pool = open_pool()
    _proc.prepare()
    _forks.set_up()
    gc.disable()
    gc.freeze()  # fewer pages written to, more of them shared by all keepers
    _fork_on_order(orders, owner, identity, pool)
    signal.signal(signal.SIGALRM, _kill_children)
    signal.alarm(_LAST_S)
    _reap_keepers(0)
    if pool:
        pool.remove()


def _fork_on_order(orders: socket.socket, owner: int, identity: Identity, pool: Pool | None) -> None:
    """Fork a keeper for every socket that comes, and take the exit status of those that end, until the owner does."""
    deaths, death = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(death, warn_on_full_buffer=False)  # a signal alone does not end a poll
    signal.signal(signal.SIGCHLD, lambda *_: None)
    _reap_keepers(os.WNOHANG)  # what was tried out at the start may have ended before anybody was told of it
    asks, ask = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    held = select.epoll()
    locked = False
    waiting = select.poll()
    calls = _Calls(waiting, pool)
    for fd in (orders.fileno(), owner, deaths, asks.fileno()):
        waiting.register(fd, select.POLLIN)
    while True:
        ready = dict(waiting.poll(None if locked else _LOCK_AGAIN_MS))
        locked = locked or _lock_all(held)
        if deaths in ready:
            os.read(deaths, 1 << 12)
            _reap_keepers(os.WNOHANG)
        if owner in ready:
            break
        if asks.fileno() in ready:
            calls.take_asks(asks)
        calls.serve(ready)
        if orders.fileno() not in ready:
            continue
        message, descriptors, _, _ = socket.recv_fds(orders, 1 << 10, 1, socket.MSG_CMSG_CLOEXEC)
        if not message:
            break
        if not descriptors:  # this process has no room for another: the program sees its socket closed
            continue
        group = pool.unused_group() if pool else Group()
        try:
            if (pool.fork() if pool else os.fork()) == 0:
                signal.set_wakeup_fd(-1)
                orders.close()
                asks.close()
                calls.close()
                _run_keeper(socket.socket(fileno=descriptors[0]), ask, owner, identity, group, message)
        except OSError:  # a machine without room for another process: the program sees its socket closed
            group.release()
        os.close(descriptors[0])


def _lock_all(held: select.epoll) -> bool:
    """Take the locks of the one inode that stands behind all epolls, events and timers, for as long as a box lives.

    So none of the boxes, who share it, can have them. Returns whether they were to be had: another program's zygote may
    hold them, until it ends.
    """
    with suppress(OSError):
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.fcntl(held, _OFD_SETLK, struct.pack("hhqqixxxx", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        return True
    return False


class _Calls:
    """Calls of boxes that the filter hands over: the first few of each that cost little are answered here."""

    def __init__(self, waiting: select.poll, pool: Pool | None) -> None:
        self._waiting, self._pool = waiting, pool
        self._left: dict[int, int] = {}
        """What the filters have handed out, and how many answers come from here."""

    def take_asks(self, asks: socket.socket) -> None:
        """Take in what the filter of a box has handed out."""
        _, descriptors, _, _ = socket.recv_fds(asks, 1, 1, socket.MSG_CMSG_CLOEXEC)
        for listener in descriptors:
            self._left[listener] = _ANSWERS if len(self._left) < _LISTENERS else 1
            self._waiting.register(listener, select.POLLIN)

    def serve(self, ready: dict[int, int]) -> None:
        """Answer what is ready; the first wait of a box, or the last answer, gets it a process of its own."""
        for listener in ready.keys() & self._left.keys():
            self._left[listener] -= 1
            ended = ready[listener] & select.POLLHUP
            request = b"" if ended else _futex.receive(listener)
            if request and _futex.answer_sysinfo(listener, request):
                request = b""
            if ended or request or not self._left[listener]:
                self._waiting.unregister(listener)
                del self._left[listener]
                if not ended:
                    self._hand_over(listener, request)
                os.close(listener)

    def _hand_over(self, listener: int, request: bytes) -> None:
        """Fork a process that sees to all further calls of a box, and to one that was received already."""
        with suppress(OSError):  # no room for another process: who waits is told that there are no such calls
            if (self._pool.fork() if self._pool else os.fork()) == 0:
                try:
                    os.setsid()
                    os.dup2(listener, 0)
                    os.closerange(3, 1 << 16)
                    _futex.serve(0, request)
                finally:
                    os._exit(0)

    def close(self) -> None:
        """Let go of them, in a child."""
        for listener in self._left:
            os.close(listener)


def _reap_keepers(how: int) -> None:
    """Take the exit status of keepers that have ended, and of what killed keepers left, so that their time is counted.

    Args:
        how: 0 to wait until all have ended; WNOHANG to take those that have.
    """
    with suppress(ChildProcessError):
        while os.waitpid(-1, how)[0]:
            pass


def _kill_children(*_: object) -> None:
    """Kill keepers that did not notice the program's end, and what such keepers leave: somebody has stopped them."""
    with suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as children:
        for pid in children.read().split():
            os.kill(int(pid), signal.SIGKILL)
    signal.alarm(1)


def _settle_process() -> None:
    """Undo what was inherited of the program: its session, environment, directory, signals, descriptors."""
    # For the start of this process alone; of this process's own making; for who looks at it from outside.
    for name in ("LD_BIND_NOW", "LC_CTYPE", "HONESTLY_OWNER"):
        os.environ.pop(name, None)
    os.chdir("/")
    os.closerange(3, 1 << 16)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGPIPE}:
        signal.signal(number, signal.SIG_DFL)
    _kernel.set_process_option(_kernel.PR_SET_CHILD_SUBREAPER, 1)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("500")  # if the machine runs out of memory, what runs in boxes goes first


def _run_keeper(
    channel: socket.socket, zygote: socket.socket, owner: int, identity: Identity, group: Group, order: bytes
) -> None:
    """Be a keeper; never returns."""
    try:
        os.setsid()
        serve(channel, zygote, owner, identity, group, order)
    finally:
        group.release()
        if sys.exc_info()[0]:
            sys.excepthook(*sys.exc_info())
        os._exit(0)
