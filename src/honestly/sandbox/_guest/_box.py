"""Building a box: namespaces in the right order, for a capable root and for an ordinary user.

An ordinary user enters a user namespace first, because it gives the rights to do the rest. A capable root does the rest
first, with its own rights, and then moves the keeper to a user namespace whose ids belong to nobody outside: the mounts
stay root's, and nothing in the box, the keeper included, has any right on the machine or over the mounts.

The new pid namespace gets two processes. The first is its init, which no process in the namespace can stop or kill: it
waits for the keeper's end, and at the keeper's word signals all the others at once. The second, the builder, does what
must be done in the namespace (mounting /proc) or after the keeper has left root's rights behind, and ends.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from . import _cpu_time, _kernel, _memory, _root
from ._confine import seal
from ._files import Files
from ._groups import Group
from ._ids import RANGE, USER, Identity

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_REST = _kernel.CLONE_NEWNS | _kernel.CLONE_NEWPID | _kernel.CLONE_NEWNET | _kernel.CLONE_NEWIPC | _kernel.CLONE_NEWUTS
_LOCKABLE = _kernel.CLONE_NEWTIME | _kernel.CLONE_NEWCGROUP
"""Namespaces that wall off nothing here, but whose files in /proc could be locked."""


class Box:
    """The namespaces around this process, which stays outside of the new pid namespace only."""

    only_forks = False
    """Whether commands are refused."""
    init: int
    """A descriptor that can be read once the box has ended."""
    waits = -1
    """A descriptor that can be read once somebody in the box waits for shared memory; see `_futex`."""

    def __init__(self, identity: Identity, group: Group) -> None:
        """Enter new namespaces and start the init; the first thing that a keeper does, while its memory is untouched.

        Raises:
            OSError: The kernel refused a call; `filename` holds the call.
        """
        self.identity = identity
        self.group = group
        self.writable: tuple[str, ...] = ()
        self.named_streams = False
        if not identity.privileged:
            enter_user_namespace(identity)
        self._tagging = self._stopped = self._frozen = False
        # Kept, since the box's own /proc will not show this process.
        self._namespaces = os.open("/proc/self/ns", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        # The pid namespace is for children, of which the init is the first.
        _kernel.unshare_namespaces(_REST, "mount, pid, net, ipc, uts")
        self.tcp_tables = []
        for name in ("tcp", "tcp6"):
            with suppress(OSError):  # a kernel without it
                self.tcp_tables.append(os.open(f"/proc/self/net/{name}", os.O_RDONLY | os.O_CLOEXEC))
        with suppress(OSError):  # a kernel without one of them
            _kernel.unshare_namespaces(_LOCKABLE, "time, cgroup")
        orders, self._orders = os.pipe()
        self._answers, answers = os.pipe()
        self.init = os.pidfd_open(_start_init(identity, orders, answers))
        os.close(orders)
        os.close(answers)

    def furnish_root(self, places: bytes, disk: int) -> None:
        """Build the file system (see `_root.build`), bring the network up, and give away all rights.

        Args:
            places: What of the machine to show, and what shall be writable, as `_root.Plan` takes it.
            disk: Bytes of the writable directories.

        Raises:
            OSError: The kernel refused a call; `filename` holds the call.
        """
        identity = self.identity
        plan = _root.Plan(places)
        self.writable, self.named_streams = plan.writable, plan.named_streams
        if plan.open_root:  # an image's servers may listen at port 80, as in a container
            with suppress(OSError):
                _put_text("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0")
        _root.build(plan, disk, identity)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            flags = struct.unpack_from("H", fcntl.ioctl(probe, _SIOCGIFFLAGS, struct.pack("16sH14x", b"lo", 0)), 16)[0]
            fcntl.ioctl(probe, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _IFF_UP))
        socket.sethostname("box")
        _finish(identity, plan)
        writable = ["/"] if plan.open_root and identity.ids != (USER, USER) else plan.changeable_folders()
        extent = "pretence" if identity.shares_one_id else plan.extent
        self.waits = seal(writable, clone3=self.group.forks_inside, extent=extent)

    def fork(self) -> int:
        """Fork a process that is to become the box's user, and bears no command's tag; see `fork_user`."""
        self.untag_forks()
        return self.fork_user()

    def fork_user(self) -> int:
        """Fork a process that is to become the box's user.

        The keeper is the user, in effect, for the moment of the fork. So the child changes no identity, which would
        make it invisible to itself and to the keeper in /proc, but only gives up the way back, and with it all rights;
        and it makes no call by way of ctypes, which would touch a hundred pages.

        Raises:
            OSError: Commands of the box are somebody of an image's.
        """
        if self.identity.ids != (USER, USER):
            raise OSError(errno.EPERM, "a box whose commands are an image's user forks no program")
        self.identity.put_on()
        # Or the child's directory in /proc would be root's, and shut to the child itself.
        _kernel.set_process_option(_kernel.PR_SET_DUMPABLE, 1)
        pid = -1
        try:
            pid = self.group.fork()
        finally:
            if pid:
                self.identity.take_off()
                _kernel.set_process_option(_kernel.PR_SET_DUMPABLE, 0)
        if pid == 0:
            self.group.join()
        return pid

    def end_fork(self, pid: int) -> None:
        """Kill a fork, and wait for its end."""
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    def clear(self, files: Files) -> None:
        """Kill all processes, and delete all files."""
        if not self.group.is_empty():  # most often nothing else was started, and to be sure of it costs less
            self.kill_all()
        files.clear(self.writable)

    def resident_bytes(self) -> int | None:
        """Bytes in memory of all processes, shared pages counted for each; None if there are none, or no need to."""
        return _memory.resident_bytes()

    def cpu_used(self, tag: bytes = b"") -> _cpu_time.CpuTime | None:
        """The processor time that the living processes got and lacked, or those with a command's tag;
        None where that cannot be read.
        """
        with open_folder("/proc") as processes:
            names = _memory.process_numbers(processes)
            if tag:
                names = [name for name in names if tag_of(name, processes) == tag]
            return _cpu_time.cpu_used(processes, names)

    def tag_forks(self) -> tuple[bytes, int]:
        """Give what is forked next, and all that it starts, a UTS namespace of its own.

        Returns:
            The namespace's name in /proc, and a descriptor that keeps its number from going to another.
        """
        _kernel.unshare_namespaces(_kernel.CLONE_NEWUTS, "uts")
        self._tagging = True
        name = os.readlink(b"uts", dir_fd=self._namespaces)
        return name, os.open("uts", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._namespaces)

    def untag_forks(self) -> None:
        """Let what is forked next bear no command's tag."""
        if self._tagging:
            _kernel.unshare_namespaces(_kernel.CLONE_NEWUTS, "uts")
            self._tagging = False

    @contextmanager
    def frozen_processes(self) -> Iterator[None]:
        """Stop every process in the box; the kernel lets none fork away from this signal."""
        self._send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            if not self._stopped:
                self._send_signal(signal.SIGCONT)

    def pause(self) -> None:
        """Let nothing in the box run until `resume`.

        Where there is no freezer everything is stopped by a signal; see `anything_stirring`.

        Raises:
            OSError: Something went on running.
        """
        self._frozen = self.group.freeze()
        if not self._frozen:
            self._stopped = True
            self._send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let everything run again."""
        if self._frozen:
            self._frozen = False
            self.group.thaw_members()
        if self._stopped:
            self._stopped = False
            self._send_signal(signal.SIGCONT)

    @property
    def stops_by_signal(self) -> bool:
        """Whether everything is stopped by a signal, which a timer of its own may undo; see `anything_stirring`."""
        return self._stopped

    def anything_stirring(self) -> tuple[bool, int, int]:
        """Whether something runs though everything was stopped; see `_memory.stirring_processes`."""
        return _memory.stirring_processes()

    def kill_all(self) -> None:
        """Kill every process in the box but the init; the kernel lets none fork away from this signal either."""
        self._send_signal(signal.SIGKILL)

    def _send_signal(self, number: int) -> None:
        with suppress(BrokenPipeError):  # the init is gone, and so is everything else
            os.write(self._orders, bytes([number]))
            os.read(self._answers, 1)

    def is_alive(self) -> bool:
        """Whether the init lives: when it dies, it hangs up before the kernel kills what else is in the box."""
        waiting = select.poll()
        waiting.register(self._answers, select.POLLIN)
        return not waiting.poll(0)

    def destroy_box(self) -> None:
        """Kill everything inside and wait until it is dead."""
        if self._frozen or self._stopped:  # it may not even die, or hold our end of the init's pipe
            self.kill_all()
            self.group.thaw_members()
        os.close(self._orders)
        # The init's death is not complete before every process of its namespace is reaped, commands among them.
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)


@contextmanager
def open_folder(path: str) -> Iterator[int]:
    """A descriptor of a directory."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def tag_of(process: str, folder: int | None = None) -> bytes:
    """The tag of the command to which the process of a directory in /proc belongs; empty if it has ended."""
    try:
        return os.readlink(f"{process}/ns/uts".encode(), dir_fd=folder)
    except OSError:
        return b""


def enter_user_namespace(identity: Identity) -> None:
    """Enter a user namespace in which this process has every capability and its own id is the box's user."""
    _kernel.unshare_namespaces(_kernel.CLONE_NEWUSER, "user")
    _put_text("/proc/self/setgroups", "deny")
    _put_text("/proc/self/uid_map", f"{identity.ids[0]} {identity.uid} 1")
    _put_text("/proc/self/gid_map", f"{identity.ids[1]} {identity.gid} 1")


def leave_users(identity: Identity) -> None:
    """Enter a user namespace from a capable root, as one whose owner has no other.

    What the kernel counts for a user of it (watchers, pending signals), it counts for its owner, too.
    """
    owner = identity.first or identity.uid
    try:
        os.seteuid(owner)
        _kernel.unshare_namespaces(_kernel.CLONE_NEWUSER, "user")
    except OSError:  # a machine where only root may make them
        os.seteuid(0)
        _kernel.unshare_namespaces(_kernel.CLONE_NEWUSER, "user")


def map_ids(identity: Identity, keeper: int) -> None:
    """Say who is who in the user namespace of a capable root's keeper, whose directory in /proc is open."""
    if identity.first:
        for name in ("uid_map", "gid_map"):
            _put_text(name, f"0 {identity.first} {RANGE}", keeper)
    elif identity.privileged:
        _put_text("uid_map", f"0 {identity.uid} 1\n{USER} {identity.uid + 1} 1", keeper)
        _put_text("gid_map", f"0 {identity.gid} 1\n{USER} {identity.gid + 1} 1", keeper)


def _put_text(path: str, text: str, folder: int | None = None) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.write(fd, text.encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"write({path})") from None
    finally:
        os.close(fd)


def _start_init(identity: Identity, orders: int, answers: int) -> int:
    """Fork the first process of the new pid namespace: the box's user, without any right but to signal its like."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # for the init: the kernel reaps its orphans
    pid = os.fork()
    if pid:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        return pid
    try:
        os.dup2(orders, 0)
        os.dup2(answers, 1)
        if identity.privileged:
            os.setgroups([])  # groups go while this process may still change them
            os.setresgid(identity.gid + 1, identity.gid + 1, identity.gid + 1)
            os.setresuid(identity.uid + 1, identity.uid + 1, identity.uid + 1)  # takes all capabilities away
        else:
            _kernel.clear_capabilities()
        os.closerange(2, 1 << 16)
        _kernel.set_process_option(_kernel.PR_SET_DUMPABLE, 0)  # nothing in the box may trace it or read its memory
        _kernel.set_process_option(_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        while order := os.read(0, 1):
            with suppress(ProcessLookupError):
                os.kill(-1, order[0])  # all at once: the kernel lets no process fork away from it
            os.write(1, order)
    finally:
        os._exit(0)


def _finish(identity: Identity, plan: _root.Plan) -> None:
    """Let the builder work: it mounts /proc; the keeper leaves root's rights; the builder maps its ids and locks up."""
    ours, theirs = socket.socketpair()
    keeper = os.open(_root.OLD + "/proc/self", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        ours.close()
        _build_namespaces(identity, plan, theirs, keeper)
    os.close(keeper)
    with ours, theirs:
        theirs.close()
        expect_word(ours)
        if identity.privileged:
            leave_users(identity)
        with suppress(OSError):  # the filter refuses new user namespaces too; this is the second lock
            _put_text("/proc/sys/user/max_user_namespaces", "0")
        ours.send(b".")
        expect_word(ours)
    os.waitpid(pid, 0)
    if identity.privileged:
        os.setgroups([])
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)


def _build_namespaces(identity: Identity, plan: _root.Plan, peer: socket.socket, keeper: int) -> None:
    """Do what needs the new pid namespace or root's rights; never returns."""
    try:
        _root.mount_proc(plan)
        peer.send(b".")
        if peer.recv(1):
            map_ids(identity, keeper)
            _root.finish(plan)
            peer.send(b".")
    except OSError as error:
        peer.send(f"{error.errno} {error.filename}".encode())
    finally:
        if sys.exc_info()[0]:
            sys.excepthook(*sys.exc_info())
        os._exit(0)


def expect_word(peer: socket.socket) -> None:
    """Wait for the next word of a builder or housekeeper: a dot, or what the kernel refused."""
    word = peer.recv(4096)
    if word != b".":
        # Nothing at all where the other one was killed: an input/output error of "init".
        number, _, call = word.partition(b" ")
        code = int(number or 5)
        raise OSError(code, os.strerror(code), os.fsdecode(call or b"init"))
