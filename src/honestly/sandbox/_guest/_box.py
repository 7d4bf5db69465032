"""Building a box: namespaces in the right order, for a capable root and for an ordinary user.

An ordinary user enters a user namespace first, because it gives the rights to do the rest. A capable root does the rest
first, with its own rights, and then moves the keeper to a user namespace whose ids belong to nobody outside: the mounts
stay root's, and nothing in the box, the keeper included, has any right on the machine or over the mounts.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import struct
import sys
from dataclasses import dataclass

from . import _kernel, _root, _wire
from ._confine import USER, Allowance, Identity, choose_identity, seal

__all__ = ["Box"]

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_REST = _kernel.CLONE_NEWNS | _kernel.CLONE_NEWPID | _kernel.CLONE_NEWNET | _kernel.CLONE_NEWIPC | _kernel.CLONE_NEWUTS


@dataclass(frozen=True)
class Box:
    """A finished box, as the keeper knows it."""

    identity: Identity
    plan: _root.Plan
    allowance: Allowance
    output_bytes: int
    workspace: str
    init: int
    """A pidfd of the first process of its pid namespace."""
    lifeline: int
    """The pipe whose end the init waits for."""

    @classmethod
    def build(cls, settings: bytes) -> Box:
        """Build a box around this process, which stays outside of its pid namespace only.

        Args:
            settings: Packed: binds, links, hidden directories (each packed), then the numbers of `Limits`.

        Raises:
            OSError: The kernel refused a call; `filename` holds the call.
        """
        binds, links, hidden, *numbers = _wire.unpack(settings)
        cpu, memory, processes, file, disk, output, open_files = map(int, numbers)
        plan = _root.Plan(_pairs(binds), _pairs(links), [os.fsdecode(path) for path in _wire.unpack(hidden)], disk)
        identity = choose_identity()
        if not identity.privileged:
            _enter_own_user_namespace(identity)
        _kernel.unshare(_REST, "mount, pid, net, ipc, uts")
        _root.build(plan, (identity.uid + 1, identity.gid + 1) if identity.privileged else (USER, USER))
        _loopback_up()
        socket.sethostname("box")
        init, lifeline = _start_init(identity)
        seal()
        return cls(
            identity,
            plan,
            Allowance(cpu, memory, processes, file, open_files),
            output,
            _root.WRITABLE[0],
            init,
            lifeline,
        )

    def destroy(self) -> None:
        """Kill everything inside and wait until it is dead."""
        signal.pidfd_send_signal(self.init, signal.SIGKILL)
        os.waitid(os.P_PIDFD, self.init, os.WEXITED)


def _pairs(packed: bytes) -> list[tuple[str, str]]:
    texts = [os.fsdecode(text) for text in _wire.unpack(packed)]
    return list(zip(texts[::2], texts[1::2], strict=True))


def _enter_own_user_namespace(identity: Identity) -> None:
    _kernel.unshare(_kernel.CLONE_NEWUSER, "user")
    _put("/proc/self/setgroups", "deny")
    _put("/proc/self/uid_map", f"{USER} {identity.uid} 1")
    _put("/proc/self/gid_map", f"{USER} {identity.gid} 1")


def _put(path: str, text: str, folder: int | None = None) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.write(fd, text.encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"write({path})") from None
    finally:
        os.close(fd)


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        flags = struct.unpack_from("H", fcntl.ioctl(probe, _SIOCGIFFLAGS, struct.pack("16sH14x", b"lo", 0)), 16)[0]
        fcntl.ioctl(probe, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _IFF_UP))


def _start_init(identity: Identity) -> tuple[int, int]:
    """Start the first process of the new pid namespace; for a capable root, also move this process to a user namespace.

    The two take turns over a socket: the init mounts /proc (only it is in the pid namespace), the keeper enters its
    user namespace, the init (still root outside) writes the maps, and locks the door.
    """
    ours, theirs = socket.socketpair()
    lifeline_out, lifeline_in = os.pipe()
    keeper = os.open("/old/proc/self", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        _init(identity, theirs, keeper, lifeline_out)
    theirs.close()
    os.close(lifeline_out)
    os.close(keeper)
    _expect(ours)
    if identity.privileged:
        _kernel.unshare(_kernel.CLONE_NEWUSER, "user")
    ours.send(b".")
    _expect(ours)
    if identity.privileged:
        os.setgroups([])
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
    ours.close()
    return os.pidfd_open(pid), lifeline_in


def _expect(peer: socket.socket) -> None:
    """Wait for the init's next word: a dot, or why it gave up."""
    word = peer.recv(4096)
    if word != b".":
        number, _, call = word.partition(b" ")
        raise OSError(int(number or 5), os.strerror(int(number or 5)), os.fsdecode(call or b"init"))


def _init(identity: Identity, peer: socket.socket, keeper: int, lifeline: int) -> None:
    """Be the first process: mount, map, lock, and then wait for the keeper's end; never returns."""
    try:
        _kernel.prctl(_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        _root.mount_proc()
        peer.send(b".")
        if not peer.recv(1):
            os._exit(1)
        if identity.privileged:
            _put("uid_map", f"0 {identity.uid} 1\n{USER} {identity.uid + 1} 1", keeper)
            _put("gid_map", f"0 {identity.gid} 1\n{USER} {identity.gid + 1} 1", keeper)
        _root.finish()
        seal()
        if identity.privileged:
            os.setgroups([])
            os.setresgid(identity.gid, identity.gid, identity.gid)
            os.setresuid(identity.uid, identity.uid, identity.uid)
        _kernel.clear_capabilities()
        _kernel.prctl(_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # changing ids has reset it
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps orphans
        os.dup2(lifeline, 0)
        peer_fd = peer.fileno()
        os.closerange(1, peer_fd)
        os.closerange(peer_fd + 1, 1 << 16)
        peer.send(b".")
        peer.close()
        os.read(0, 1)
    except OSError as error:
        peer.send(f"{error.errno} {error.filename}".encode())
    finally:
        if sys.exc_info()[0]:
            sys.excepthook(*sys.exc_info())
        os._exit(0)
