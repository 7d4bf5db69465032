"""Commands: starting them as the box's user, keeping a bounded part of what they write, killing what they started.

Every command gets a UTS namespace of its own, which its descendants inherit and, lacking the capability, cannot leave.
The namespace's number is thus a tag that no process can shed: not by setsid, not by forking twice. The keeper holds
the namespace open for as long as it may kill by the tag, so that no later command gets the same number. A deadline
stops everything in the box at once, so that nothing can fork away, kills what has the tag, and lets the others go on.

What a command leaves in the background keeps its output pipe; the keeper goes on emptying the pipe, slowly and into
nothing, so that the process neither blocks nor dies of it.
"""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from . import _cpu_time
from ._box import Box, open_folder, tag_of
from ._confine import become_user

_CHUNK = 1 << 16
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126
_DYING_S, _GLANCE_S = 1.0, 0.002


class Capture:
    """The first and last bytes of an output stream, and how many were dropped between them."""

    def __init__(self, fd: int, keep: int) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.open = True
        self._dropped = 0
        self._half = max(keep // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()

    def drain_pipe(self, reads: int) -> bool:
        """Take what is there, in at most so many reads. Returns whether there may be more."""
        for _ in range(reads):
            try:
                data = os.read(self.fd, _CHUNK)
            except BlockingIOError:
                return False
            except OSError:
                data = b""
            if not data:
                self.open = False
                return False
            room = self._half - len(self._head)
            if room > 0:
                self._head += data[:room]
                data = data[room:]
            self._tail += data
            if len(self._tail) > self._half + 4 * _CHUNK:  # trimmed rarely: moving bytes costs
                self._trim()
        return True

    def discard_pipe(self) -> bool:
        """Throw away at most one full pipe. Returns whether there may be more; if not, the pipe is closed."""
        with suppress(BlockingIOError):
            self.open = bool(os.read(self.fd, _CHUNK))
        if not self.open:
            os.close(self.fd)
        return self.open

    def _trim(self) -> None:
        excess = len(self._tail) - self._half
        if excess > 0:
            self._dropped += excess
            del self._tail[:excess]

    def result(self) -> tuple[bytes, int]:
        """The kept output, with a line that marks the gap, and how many bytes were dropped."""
        self._trim()
        gap = f"\n[... {self._dropped} bytes dropped ...]\n".encode() if self._dropped else b""
        return bytes(self._head) + gap + bytes(self._tail), self._dropped


class Command:
    """One process of the box that the keeper started, with its pipes."""

    def __init__(self, request: bytes, limit: float, began: float) -> None:
        """`limit`: seconds that it may take since it `began`."""
        self.request = request
        self.began = began
        self.deadline = self.began + limit
        self._limit = limit
        self._over = 0.0
        self.killed_by = b""
        self.pid = self.pidfd = -1
        self.captures: list[Capture | None] = [None, None]
        self.stdin = -1
        self.unsent = memoryview(b"")
        self.tag = b""  # empty for a process that was forked without an exec: if it dies, all in the box do
        self.cpu = 0.0
        self._namespace = -1
        self._starved = 0

    def spawn(self, stdio: Sequence[int], setup: Setup) -> None:
        """Fork, and let the child become the command; `stdio` are its three streams, and any further descriptors."""
        self._starved = setup.box.group.oom_kills()
        # Before the fork: there is no moment at which what it starts could be without the tag.
        self.tag, self._namespace = setup.box.tag_forks()
        try:
            self.pid = setup.box.fork_user() if setup.forked else setup.box.group.fork()
        except OSError:
            os.close(self._namespace)
            raise
        if self.pid == 0:
            _become_command(stdio, setup)
        self.pidfd = os.pidfd_open(self.pid)

    def adopt_process(self, pid: int) -> None:
        """Stand for a process that was forked without an exec."""
        self.pid, self.pidfd = pid, os.pidfd_open(pid)

    def feed_input(self) -> bool:
        """Write what fits of its standard input. Returns whether bytes are left."""
        try:
            self.unsent = self.unsent[os.write(self.stdin, self.unsent[:_CHUNK]) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            self.unsent = self.unsent[:0]
        if not self.unsent:
            os.close(self.stdin)
            self.stdin = -1
        return bool(self.unsent)

    def overdue_reason(self, now: float, box: Box) -> bytes:
        """Why it has to be killed, now that its deadline has passed; empty if the deadline was moved instead."""
        elapsed = now - self.began  # less what it was paused for, by which the keeper moves both
        got = box.cpu_used(self.tag)
        late = now - self.deadline
        self._over += late
        more = _cpu_time.further_seconds(self._limit, elapsed, self._over, got, late)
        if more and not _cpu_time.is_starved(elapsed, self._over):
            self._over += more
            self.deadline = now + more
            return b""
        self.deadline = math.inf
        return b"starved" if more else b"deadline"

    def kill(self, reason: bytes, box: Box) -> None:
        """Kill it and everything that it started."""
        self.killed_by = self.killed_by or reason
        if not self.tag:
            box.kill_all()
            return
        signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)  # /proc may not tell the tag of one that is just starting
        kill_tagged(self.tag, box)

    def reap_exit(self, box: Box) -> int | None:
        """Take the exit code (minus the signal, if one ended it), and close the rest; None if it still runs.

        If the kernel has killed it because the box held too much memory, what it started is killed as well.
        """
        pid, status, used = os.wait4(self.pid, os.WNOHANG)
        if pid == 0:
            return None
        code, self.cpu = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
        if code == -signal.SIGKILL and not self.killed_by and box.group.oom_kills() > self._starved:
            self.killed_by = b"memory"
            if self.tag:
                kill_tagged(self.tag, box)
                _wait_for_end(self.tag)
        for fd in (self.pidfd, self.stdin, self._namespace):
            if fd >= 0:
                os.close(fd)
        return code


class Setup:
    """The child's settings between fork and its own work: who it becomes, where, and what it goes on with."""

    def __init__(
        self, box: Box, bounds: list[tuple[int, int]], cwd: bytes, go_on: Callable[[], object], *, forked: bool = False
    ) -> None:
        """`forked`: it goes on in this interpreter, and executes no other program."""
        self.box, self.bounds, self.cwd = box, bounds, cwd
        self.go_on, self.forked = go_on, forked


def _become_command(stdio: Sequence[int], setup: Setup) -> None:
    """Become the command; never returns."""
    code = _NOT_EXECUTABLE
    try:
        if not setup.forked:
            setup.box.group.join()
        os.setsid()
        for number, fd in enumerate(stdio):
            os.dup2(fd, number)
        os.closerange(len(stdio), 1 << 16)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # those that Python ignores
            signal.signal(number, signal.SIG_DFL)
        become_user(setup.box.identity, setup.bounds)
        os.chdir(setup.cwd)
        setup.go_on()
        code = 0
    except FileNotFoundError as error:
        code = _NOT_FOUND
        _print_error(error)
    except OSError as error:
        _print_error(error)
    finally:
        os._exit(code)


def replace_process(argv: list[bytes], env: Mapping[bytes, bytes]) -> None:
    """Replace this process by a program, looked up in PATH if its name has no slash."""
    name = argv[0]
    try:
        if b"/" in name:
            os.execve(name, argv, env)
        for folder in env.get(b"PATH", b"").split(b":"):
            path = folder + b"/" + name
            if os.access(path, os.X_OK):
                os.execve(path, argv, env)
    except ValueError as error:  # a null byte in an argument
        raise OSError(0, str(error), name) from None
    raise FileNotFoundError(2, "command not found", name)


def _print_error(error: OSError) -> None:
    os.write(2, f"{os.fsdecode(error.filename or 'sandbox')}: {error.strerror}\n".encode(errors="replace"))


def kill_tagged(tag: bytes, box: Box) -> None:
    """Kill every process with a tag.

    A fork that was under way when everything stopped may have ended after the processes were listed. It cannot any
    more once the parent is killed; so the list is made again until it holds nobody new.
    """
    seen: set[str] = set()
    with box.frozen_processes():
        while new := {name for name in os.listdir("/proc") if name.isdigit()} - seen:
            for name in new:
                with suppress(OSError), open_folder(f"/proc/{name}") as process:  # or it ended meanwhile
                    # The open directory rules out that the number is another process's by now.
                    if os.readlink(b"ns/uts", dir_fd=process) == tag:
                        signal.pidfd_send_signal(process, signal.SIGKILL)
            seen |= new


def _wait_for_end(tag: bytes) -> None:
    """Wait, though not for long, until no process has a tag: till then, what they held is not the next command's."""
    due = time.monotonic() + _DYING_S
    while time.monotonic() < due:
        if not any(tag_of(f"/proc/{name}") == tag for name in os.listdir("/proc") if name.isdigit()):
            return
        time.sleep(_GLANCE_S)
