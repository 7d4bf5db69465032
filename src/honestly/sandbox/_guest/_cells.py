"""Cells: forks of a keeper that share nothing which one could write and a later one read.

A box of cells shows a Python and its library, and runs series of forks. Each fork is a cell: one process, threads
included, the first of a pid namespace of its own, with file systems of its own to write to. It has no `/proc`, and can
make neither processes nor pipes nor sockets, whose numbers come from counters of the whole machine (`_seccomp`). What
it did ends with it: the keeper does not even take in its exit status, since the next cell inherits the keeper's memory.
What persists where, and what closes it, is written down in tests/sandbox/channels.md.

The keeper, once it is sealed, can mount nothing. So a housekeeper, forked before that, renews the file systems at its
word, reads what a cell got of the processors, and ends the cell of a keeper that was killed. It has the rights that
this needs, no way in but one byte, and is in sight of nobody.

Memory needs no watching: a cell has what one process may have (RLIMIT_DATA), and its files.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress

from . import _cpu_time, _kernel, _root
from ._box import Box, enter_user_namespace, expect_word, leave_users, map_ids
from ._confine import seal
from ._files import Files
from ._groups import Group
from ._ids import Identity

_NAMESPACES = _kernel.CLONE_NEWNS | _kernel.CLONE_NEWNET | _kernel.CLONE_NEWIPC | _kernel.CLONE_NEWUTS
_OK, _USED, _END = b".", b"?", b"!"


class Cells(Box):
    """The namespaces around the keeper of a box of cells. It has no init and runs no commands, only series."""

    only_forks = True

    def __init__(self, identity: Identity, group: Group) -> None:
        """Enter new namespaces; the first thing that a keeper does, while its memory is untouched.

        Raises:
            OSError: The kernel refused a call; `filename` holds the call.
        """
        self.identity = identity
        self.group = group
        self.writable = ()
        self._sealed = self._used = False
        self._cell = 0
        """A descriptor of the present cell. Nothing here knows its number: that counts the machine's processes."""
        if not identity.privileged:
            enter_user_namespace(identity)
        _kernel.unshare_namespaces(_NAMESPACES, "mount, net, ipc, uts")

    def furnish_root(self, places: bytes, disk: int) -> None:
        """Build the file system, and leave the machine's users; see `Box.furnish_root`."""
        identity = self.identity
        owner = identity.user
        plan = _root.Plan(places)
        self.writable = plan.writable
        _root.build(plan, disk, identity)
        socket.sethostname("box")
        self._processes = os.open(_root.OLD + "/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._start_housekeeper(plan, disk, owner)

    def _start_housekeeper(self, plan: _root.Plan, disk: int, owner: tuple[int, int]) -> None:
        self._housekeeper, theirs = socket.socketpair()
        keeper = os.open("self", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._processes)
        pid = os.fork()
        if pid == 0:
            self._housekeeper.close()
            _keep_house(theirs, plan, disk, owner, (self.identity, keeper, self._processes))
        os.close(keeper)
        theirs.close()
        self.init = os.pidfd_open(pid)
        if self.identity.privileged:
            leave_users(self.identity)
        self._renew_cell()
        if self.identity.privileged:
            os.setgroups([])
            os.setresgid(0, 0, 0)
            os.setresuid(0, 0, 0)

    def _renew_cell(self) -> None:
        """Have the housekeeper do its work, and wait for it."""
        self._housekeeper.send(_OK)
        expect_word(self._housekeeper)

    def fork(self) -> int:
        """Fork a cell; returns a descriptor of it."""
        if not self._sealed:  # only now, since a program that is loaded may try out what no cell may do
            # Below "/", since what is mounted later is below no directory that could be named: the mounts are the wall.
            seal(["/"], clone3=self.group.forks_inside, extent="cells")
            self._sealed = True
        self._used = True
        self._cell = self.group.fork_cell()
        if self._cell == 0:
            self.group.join(cell=True)
        return self._cell

    def end_fork(self, cell: int) -> None:
        """Kill a cell, and wait until it is dead."""
        signal.pidfd_send_signal(cell, signal.SIGKILL)
        _kernel.wait(cell)
        os.close(cell)
        self._cell = 0

    def clear(self, _: Files) -> None:
        """Forget what a cell has written."""
        if self._used:
            self._renew_cell()
            self._used = False

    def is_alive(self) -> bool:
        """True, since a cell outlives the housekeeper."""
        return True

    def resident_bytes(self) -> int | None:
        """None, since all is limited; see `Box.resident_bytes`."""
        return None

    def cpu_used(self, _tag: bytes = b"") -> _cpu_time.CpuTime | None:
        """The processor time that the cell got and lacked; None where that cannot be read.

        Who has asked lets no further cell begin: what is read here stays in the keeper's memory.
        """
        self._housekeeper.send(_USED)
        seconds = self._housekeeper.recv(1 << 10).split()
        return _cpu_time.CpuTime(*map(float, seconds)) if len(seconds) == 2 else None

    def destroy_box(self) -> None:
        """Kill the cell, have the housekeeper end, and wait for both."""
        if self._cell:
            self.end_fork(self._cell)
        with suppress(OSError):
            self._housekeeper.send(_END)
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)


def _keep_house(
    peer: socket.socket, plan: _root.Plan, disk: int, owner: tuple[int, int], keeper: tuple[Identity, int, int]
) -> None:
    """Lock up, then renew what can be written to at each word, and end what a killed keeper left; never returns."""
    try:
        if peer.recv(1):
            identity, place, processes = keeper
            map_ids(identity, place)
            _root.finish(plan)
            # Two descriptors are kept, where they are known, and all others closed.
            os.dup2(processes, 0)
            os.dup2(peer.detach(), 1)
            os.closerange(2, 1 << 16)
            peer = socket.socket(fileno=os.dup(1))
            _kernel.set_process_option(_kernel.PR_SET_NO_NEW_PRIVS, 1)
            _kernel.set_process_option(_kernel.PR_SET_DUMPABLE, 0)
            peer.send(_OK)
        while (word := peer.recv(1)) in (_OK, _USED):
            if word == _USED:
                peer.send(b"%.6f %.6f" % got if (got := _used_of_cell(0)) else b"unknown")
                continue
            _root.renew_writable(plan, disk, owner)
            peer.send(_OK)
        if word != _END:
            _end_all(0)
    except OSError as error:
        peer.send(f"{error.errno} {error.filename}".encode())
    finally:
        if sys.exc_info()[0]:
            sys.excepthook(*sys.exc_info())
        os._exit(0)


def _used_of_cell(processes: int) -> _cpu_time.CpuTime | None:
    """The processor time that the keeper's children but this process got and lacked, of which there is
    one; in files open to everybody.
    """
    own = os.readlink("self", dir_fd=processes)
    try:
        fields = _cpu_time.file_contents(processes, "self/stat").rpartition(b")")[2].split()
        keeper = fields[1].decode()
        children = _cpu_time.file_contents(processes, f"{keeper}/task/{keeper}/children").decode().split()
    except OSError:
        return None
    return _cpu_time.cpu_used(processes, [number for number in children if number != own])


def _end_all(processes: int) -> None:
    """Kill who is left of this mount namespace: the cell of a keeper that was killed."""
    mine, own = os.readlink("self/ns/mnt", dir_fd=processes), os.readlink("self", dir_fd=processes)
    for name in os.listdir(processes):
        with suppress(OSError):
            if name.isdigit() and name != own and os.readlink(f"{name}/ns/mnt", dir_fd=processes) == mine:
                os.kill(int(name), signal.SIGKILL)
