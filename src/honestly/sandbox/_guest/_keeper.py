"""The keeper of one box: it builds the box, then answers requests until the other end of its socket is gone.

It stays outside of the box's pid namespace, whose first process is an init that does nothing but exist: no process in
the box can see, signal or trace the keeper, and when the init dies, the kernel kills everything in the box. The
keeper's root directory, network and user namespace are the box's. It runs one loop over non-blocking descriptors, so
that neither a silent peer nor endless output holds up a deadline.

Requests are lists `id, name, ...`; each but `kill` has exactly one reply, `id, status, ...`, where the status is "ok",
"error", "limit" or "unavailable", the latter three with a message and an errno.
"""

from __future__ import annotations

import errno
import math
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from . import _forks, _memory, _wire, frames
from ._box import Box
from ._cells import Cells
from ._commands import Capture, Command, Setup, kill_tagged, replace_process
from ._confine import Allowance
from ._files import Files, LimitError
from ._groups import Group
from ._ids import Identity
from ._peer import Peer
from ._series import Series
from .clock import BUSY, TICK_S, SteadyClock

_LINGER_S = 0.1
_FINAL_READS = 64
_BACKLOG = 128
_KERNEL_SHARE = 64 << 20  # of a box's memory, beside its processes and files: page tables, stacks, sockets, pipes
_OF_CELLS = {b"open", b"load", b"series", b"used", b"stands", b"clear"}
_WHILE_PAUSED = {b"resume", b"kill", b"read", b"write", b"snapshot", b"used", b"stands"}
_WATCH_S, _LEAST, _ESCAPES = 0.01, 12, 3
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Keeper:
    """One box and the requests about it."""

    def __init__(self, channel: socket.socket, owner: int, box: Box, zygote: socket.socket, busy: int) -> None:
        """`busy`: this thread's `schedstat`, open."""
        self._zygote = zygote
        self._peer = Peer(channel)
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[int], None]] = {}
        self._commands: dict[bytes, Command] = {}
        self._lingering: list[Capture] = []
        self._sample_at = math.inf
        self._box = box
        self._entry: _forks.Entry | None = None
        self._series: Series | None = None
        self._trouble: list[bytes] | None = None  # why a series broke off, for the next clearing to tell
        # A box of cells hands the keeper's memory on to the next cell, and sets no deadlines.
        self._clock = None if box.only_forks else SteadyClock(busy)
        self._paused_at = math.inf
        self._held: list[list[bytes]] = []  # requests that came while the box was paused
        self._asleep, self._done, self._escapes = False, -1, 0
        self._alive = True
        self._watch(self._peer.fd, select.POLLIN, self._on_channel)
        self._watch(owner, select.POLLIN, self._on_end)

    def run(self) -> None:
        """Serve until the peer or the box is gone."""
        while self._alive:
            wait = self._wait_milliseconds()
            ready = self._poll.poll(wait)
            self._now(wait / 1000 if wait >= 0 else math.inf)  # before anything begins: a standstill is no part of it
            for fd, events in ready:
                handler = self._handlers.get(fd)
                if handler:
                    handler(events)
            now = self._now()
            if self._paused_at < math.inf:
                self._keep_paused()
                continue
            for command in list(self._commands.values()):
                if now >= command.deadline and (reason := command.overdue_reason(now, self._box)):
                    command.kill(reason, self._box)
            if now >= self._sample_at:
                self._sample_memory(now)
            if self._lingering:
                self._lingering = [capture for capture in self._lingering if capture.discard_pipe()]
            if self._peer.unsent:
                self._on_channel(select.POLLOUT)
        self._box.destroy_box()

    def _now(self, asked: float = 0.0) -> float:
        """The time, by which deadlines go; see `SteadyClock.now`."""
        return self._clock.now(asked) if self._clock else time.monotonic()

    def _wait_milliseconds(self) -> int:
        """Milliseconds until something is due; -1 for never."""
        if self._paused_at < math.inf:
            return int(_WATCH_S * 1000) if self._box.stops_by_signal else -1
        due = self._sample_at
        for command in self._commands.values():
            due = min(due, command.deadline)
        seconds = min(due - self._now(), _LINGER_S if self._lingering else math.inf)
        if due < math.inf and self._clock:
            seconds = min(seconds, TICK_S)
        return max(0, int(seconds * 1000) + 1) if seconds < math.inf else -1

    def _sample_memory(self, now: float) -> None:
        """See how much memory the box holds, and kill the command that holds the most if it is too much."""
        used = self._box.resident_bytes()
        over = used is None and not self._commands  # a command that is just starting cannot be seen
        self._sample_at = math.inf if over else now + _memory.pause(self._allowance.memory, used or 0)
        if used is None or used <= self._allowance.memory:
            return
        tag = _memory.heaviest_tag(self._allowance.memory)
        for command in sorted(self._commands.values(), key=lambda command: not command.tag):
            if tag and (command.tag == tag or not command.tag):
                command.kill(b"memory", self._box)
                return
        if tag:
            kill_tagged(tag, self._box)

    def _watch(self, fd: int, events: int, handler: Callable[[int], None]) -> None:
        self._handlers[fd] = handler
        self._poll.register(fd, events)

    def _forget(self, fd: int) -> None:
        if self._handlers.pop(fd, None):
            self._poll.unregister(fd)

    def _on_end(self, _: int) -> None:
        self._alive = False

    def _on_wait(self, _: int = 0) -> None:
        """Have the zygote fork a process that sees to waits for shared memory."""
        if self._box.waits >= 0:
            self._forget(self._box.waits)
            try:
                socket.send_fds(self._zygote, [b"."], [self._box.waits])
            except OSError:  # it was killed: what is begun in the box could not go on
                self._alive = False
            os.close(self._box.waits)
            self._box.waits = -1

    # the channel

    def _on_channel(self, events: int) -> None:
        try:
            if events & select.POLLOUT:
                self._peer.flush()
                self._poll.modify(self._peer.fd, select.POLLIN | (select.POLLOUT if self._peer.unsent else 0))
            if events & ~select.POLLOUT:
                for request in self._peer.requests():
                    self._answer_request(request)
        except (ConnectionError, frames.FrameError):
            self._alive = False

    # requests

    def _answer_request(self, request: list[bytes]) -> None:
        key, name, *arguments = request
        # A command whose own order is held has not begun: to kill it waits, too, or would find nothing.
        held = name not in _WHILE_PAUSED or (name == b"kill" and arguments[0] in (other[0] for other in self._held))
        if held and self._paused_at < math.inf:
            self._held.append(request)
            return
        try:
            if self._box.only_forks and name not in _OF_CELLS:
                raise OSError(errno.EPERM, f"a box of cells takes no order to {name.decode()}: it runs series only")
            reply = getattr(self, "_do_" + name.decode())(key, *arguments)
        except LimitError as error:
            reply = [b"limit", str(error).encode()]
        except OSError as error:
            reply = _failure_fields(b"limit" if error.errno in _FULL else b"error", error)
        if reply is not None:
            self._peer.reply(key, *reply)

    def _do_open(self, _: bytes, places: bytes, numbers: bytes, tree: bytes) -> list[bytes]:
        cpu, memory, processes, file, disk, self._output_bytes, open_files, data = map(int, _wire.unpack(numbers))
        self._allowance = Allowance(cpu, memory, processes, file, open_files, data)
        self._bounds = self._allowance.limit_pairs(self._box.identity)
        try:
            self._box.group.limit(memory + disk + _KERNEL_SHARE, processes)
            self._box.furnish_root(places, disk)
        except OSError as error:
            return _failure_fields(b"unavailable", error)
        self._watch(self._box.init, select.POLLIN, self._on_end)
        if self._box.waits >= 0:
            self._watch(self._box.waits, select.POLLIN, self._on_wait)
        self._files = Files(self._box.identity, self._box.writable[0], disk)
        self._files.plant_files(_wire.unpack(tree))
        return [b"ok"]

    def _do_pause(self, _: bytes) -> list[bytes]:
        """Let nothing in the box run, and begin nothing, until `resume`: for what is under way, no time passes."""
        self._box.pause()
        self._paused_at = self._now()
        self._asleep, self._done, self._escapes = False, -1, 0
        return [b"ok"]

    def _do_resume(self, _: bytes) -> list[bytes]:
        lasted, self._paused_at = max(self._now() - self._paused_at, 0.0), math.inf
        for command in self._commands.values():
            command.began += lasted
            command.deadline += lasted
        self._box.resume()
        held, self._held = self._held, []
        for request in held:
            self._answer_request(request)
        return [b"ok"]

    def _keep_paused(self) -> None:
        """Stop again what a signal did not hold, and kill everything where that happens time and again."""
        if self._peer.unsent:
            self._on_channel(select.POLLOUT)
        if not self._box.stops_by_signal:
            return
        awake, done, threads = self._box.anything_stirring()
        escaped = awake and (self._asleep or (self._done >= 0 and done - self._done >= _LEAST + 2 * threads))
        self._asleep = not awake
        if self._done < 0 or escaped:
            self._done = done
        if escaped:
            self._escapes += 1
            if self._escapes > _ESCAPES:
                self._box.kill_all()
            else:
                self._box.pause()

    def _do_read(self, _: bytes, path: bytes) -> list[bytes]:
        return [b"ok", self._files.read(os.fsdecode(path))]

    def _do_write(self, _: bytes, path: bytes, executable: bytes, data: bytes) -> list[bytes]:
        self._files.write(os.fsdecode(path), data, executable=executable == b"1")
        return [b"ok"]

    def _do_snapshot(self, _: bytes) -> list[bytes]:
        return [b"ok", *self._files.snapshot()]

    def _do_socket(self, _: bytes, address: bytes, port: bytes) -> list[bytes]:
        """Give away a socket of this network: one that listens, or without an address one that can connect."""
        with socket.socket(fileno=self._peer.descriptors.popleft()) as peer:
            place = address.decode(), int(port or 0)
            with socket.create_server(place, backlog=_BACKLOG) if address else socket.socket() as given:
                socket.send_fds(peer, [b"."], [given.fileno()])
        return [b"ok"]

    def _do_ports(self, _: bytes) -> list[bytes]:
        """The tables of this network's TCP sockets."""
        tables = []
        for fd in self._box.tcp_tables:
            os.lseek(fd, 0, os.SEEK_SET)
            tables.append(b"".join(iter(lambda fd=fd: os.read(fd, 1 << 16), b"")))  # type: ignore[misc]
        return [b"ok", *tables]

    def _do_kill(self, _: bytes, target: bytes) -> None:
        command = self._commands.get(target)
        if command:
            command.kill(b"request", self._box)

    def _do_exec(self, key: bytes, timeout: bytes, argv: bytes, env: bytes, cwd: bytes, stdin: bytes) -> None:
        self._run_command(key, timeout, stdin, self._command_setup(argv, env, cwd))

    def _run_command(self, key: bytes, timeout: bytes, stdin: bytes, setup: Setup) -> None:
        command = Command(key, float(timeout), self._now())
        if stdin:
            child_in, command.stdin = os.pipe()
            os.set_blocking(command.stdin, False)
            command.unsent = memoryview(stdin)
        else:
            child_in = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        out, child_out = os.pipe()
        self._launch(command, (child_in, child_out), out, setup)

    def _do_start(self, key: bytes, argv: bytes, env: bytes, cwd: bytes) -> None:
        stdio = self._peer.descriptors.popleft(), self._peer.descriptors.popleft()
        self._launch(Command(key, math.inf, self._now()), stdio, None, self._command_setup(argv, env, cwd))

    def _command_setup(self, argv: bytes, env: bytes, cwd: bytes) -> Setup:
        run = partial(replace_process, _wire.unpack(argv), _unpacked_variables(env))
        return Setup(self._box, self._bounds, os.path.join(self._box.writable[0].encode(), cwd), run)

    # Python without an exec

    def _do_load(self, _: bytes, program: bytes, imports: bytes, env: bytes) -> list[bytes]:
        self._on_wait()  # before this process itself may be who waits
        self._entry = _forks.load(program, _wire.unpack(imports), _unpacked_variables(env)) or self._entry
        return [b"ok"]

    def _do_call(self, key: bytes, timeout: bytes, stdin: bytes) -> None:
        """Run the program as a command; it finds its standard streams as a command does."""
        assert self._entry is not None
        home, go_on = self._box.writable[0].encode(), partial(self._entry, 0)
        self._run_command(key, timeout, stdin, Setup(self._box, self._bounds, home, go_on, forked=True))

    def _do_fork(self, key: bytes) -> None:
        command = Command(key, math.inf, self._now())
        command.adopt_process(self._fork_program(self._peer.descriptors.popleft()))
        self._admit_command(command)

    def _do_series(self, _: bytes, count: bytes, core: bytes) -> list[bytes]:
        turns, *wires = (self._peer.descriptors.popleft() for _ in range(int(count)))
        self._series = Series(turns, wires, int(core))
        self._sample_from(self._series.fork)
        self._watch(turns, select.POLLIN, self._on_turn)
        try:
            self._next_turn()
        except OSError:
            self._end_series()
            raise
        return [b"ok"]

    def _on_turn(self, _: int) -> None:
        """Clear away what the last fork has left, and let the next one begin."""
        assert self._series is not None
        turns = self._series.turns_called()
        try:
            while turns > 0 and self._series is not None:
                turns -= 1
                self._clear()
                self._next_turn()
        except (LimitError, OSError) as error:
            self._trouble = [b"error", f"a series of forks broke off: {error}".encode(errors="replace"), b"0"]
            turns = -1
        if turns < 0:
            self._end_series()

    def _next_turn(self) -> None:
        assert self._series is not None
        wire = self._series.next()
        if wire < 0:
            self._end_series()
            return
        self._series.fork.pid = self._fork_program(wire)
        self._commands[b""] = self._series.fork

    def _end_series(self) -> None:
        if self._series is not None:
            self._forget(self._series.turns)
            self._series.close()
            self._series = None

    def _fork_program(self, wire: int) -> int:
        """Let a fork of this interpreter do the program's work; returns its process id."""
        assert self._entry is not None
        try:
            return _forks.fork(self._entry, wire, self._box, self._bounds)
        finally:
            os.close(wire)

    def _do_used(self, _: bytes) -> list[bytes]:
        return [b"ok", *(b"%.6f" % seconds for seconds in self._box.cpu_used() or ())]

    def _do_stands(self, _: bytes) -> list[bytes]:
        return [b"ok"]

    def _do_clear(self, _: bytes) -> list[bytes]:
        self._end_series()
        self._clear()
        trouble, self._trouble = self._trouble, None
        return trouble or [b"ok"]

    def _clear(self) -> None:
        if not self._box.is_alive():
            raise OSError(errno.ESRCH, "the box has ended")
        if (fork := self._commands.pop(b"", None)) is not None:  # of a series
            self._box.end_fork(fork.pid)
        for command in list(self._commands.values()):
            signal.pidfd_send_signal(command.pidfd, signal.SIGKILL)
            # Left for `reap_exit` to take, which also reads what it used.
            os.waitid(os.P_PID, command.pid, os.WEXITED | os.WNOWAIT)
            self._on_exit(command, 0)
        self._box.clear(self._files)

    # commands

    def _launch(self, command: Command, stdio: tuple[int, int], out: int | None, setup: Setup) -> None:
        err, child_err = os.pipe()
        if self._box.named_streams:
            for stream in (*stdio, child_err):
                with suppress(OSError):  # a device, or a socket
                    os.fchmod(stream, 0o666)
        try:
            command.spawn((*stdio, child_err), setup)
        except OSError:  # the machine is full
            for fd in (err, out, command.stdin):
                if fd is not None and fd >= 0:
                    os.close(fd)
            raise
        finally:
            for fd in (*stdio, child_err):
                os.close(fd)
        for index, fd in enumerate((out, err)):
            if fd is not None:
                capture = command.captures[index] = Capture(fd, self._output_bytes)
                self._watch(fd, select.POLLIN, partial(self._on_output, capture))
        if command.stdin >= 0:
            self._watch(command.stdin, select.POLLOUT, partial(self._on_stdin, command))
        self._admit_command(command)

    def _admit_command(self, command: Command) -> None:
        """Watch over a command that has begun."""
        self._sample_from(command)
        self._commands[command.request] = command
        self._watch(command.pidfd, select.POLLIN, partial(self._on_exit, command))

    def _sample_from(self, command: Command) -> None:
        """See to it that memory is looked at in time."""
        self._sample_at = min(self._sample_at, command.began + _memory.pause(self._allowance.memory, 0))

    def _on_output(self, capture: Capture, _: int) -> None:
        capture.drain_pipe(4)
        if not capture.open:
            self._forget(capture.fd)
            os.close(capture.fd)

    def _on_stdin(self, command: Command, _: int) -> None:
        fd = command.stdin
        if not command.feed_input():
            self._forget(fd)

    def _on_exit(self, command: Command, _: int) -> None:
        stdin = command.stdin
        code = command.reap_exit(self._box)
        if code is None:
            return
        if code == -signal.SIGKILL and not command.killed_by and not self._box.is_alive():
            self._alive = False  # the box has gone, and the command with it: that is no result
            return
        self._forget(command.pidfd)
        self._forget(stdin)
        del self._commands[command.request]
        seconds = self._now() - command.began
        texts, dropped = [b"", b""], 0
        for index, capture in enumerate(command.captures):
            if capture is None:
                continue
            if capture.open:
                capture.drain_pipe(_FINAL_READS)
                self._forget(capture.fd)
                if capture.open:
                    # Something in the background holds the pipe: it shall neither block nor die of it.
                    self._lingering.append(capture)
                else:
                    os.close(capture.fd)
            texts[index], lost = capture.result()
            dropped += lost
        done = b"%d" % code, command.killed_by, b"%.6f" % seconds, b"%.6f" % command.cpu, b"%d" % dropped
        self._peer.reply(command.request, b"ok", *done, *texts)


def _unpacked_variables(packed: bytes) -> dict[bytes, bytes]:
    pairs = _wire.unpack(packed)
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


def _failure_fields(status: bytes, error: OSError) -> list[bytes]:
    where = os.fsdecode(error.filename) + ": " if error.filename else ""
    return [status, f"{where}{error.strerror or error}".encode(errors="replace"), b"%d" % (error.errno or 0)]


def serve(
    channel: socket.socket, zygote: socket.socket, owner: int, identity: Identity, group: Group, order: bytes
) -> None:
    """Keep a box until `channel` is closed by its other end, or the process behind the pidfd `owner` ends.

    Args:
        channel: To who asked for it.
        zygote: Takes what waits for shared memory (`_futex`).
        owner: Of the program.
        identity: Who the processes of boxes are.
        group: The box's control group.
        order: `box` or `cells`; or the ids of commands inside, as decimal numbers with blanks between them.
    """
    try:
        busy = os.open(BUSY, os.O_RDONLY | os.O_CLOEXEC)  # the box's own /proc does not show this process
    except OSError:
        busy = -1
    try:
        if order[:1].isdigit():
            identity = identity.acting_as(tuple(map(int, order.split())))
        box = (Cells if order == b"cells" else Box)(identity.new_identity(), group)
    except OSError as error:
        channel.send(_wire.pack_frame(b"1", *_failure_fields(b"unavailable", error)))  # the answer to the first request
        channel.recv(1)
        return
    Keeper(channel, owner, box, zygote, busy).run()
