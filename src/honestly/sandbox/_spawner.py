"""One zygote per program: started when the first sandbox is opened, gone when the program is.

Orders are single messages, each with a socket; nothing comes back, so any thread may place them. After a fork of the
program the child starts its own zygote; a zygote that has died is replaced, and its control groups are removed at the
program's end, when those that it had started have let go of them.
"""

import atexit
import os
import select
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit

from honestly.errors import SandboxUnavailableError
from honestly.sandbox._places import base_python
from honestly.scratch import OWNER_VARIABLE, owner_mark, remove_groups_of
from honestly.work import open_files_advice

_HERE = Path(__file__).parent
_FEWEST_FILES = 64
"""Files that may be open, below which no sandbox can be built."""
_END_S = 2.0  # sandboxes that are still open end after the program
_KEPT = ("LD_LIBRARY_PATH",)  # without it some builds of Python do not start
# Or each fork would look up again what it calls of the C library: 4% of the page faults of `bench/verify.py --against`.
_LINKED = {"LD_BIND_NOW": "1"}


def guest_command(code: str) -> list[str]:
    """The command that runs code with the package `_guest` at hand, and nothing else beside the standard library."""
    return [str(base_python()), "-I", "-S", "-E", "-c", f"import sys; sys.path.append({str(_HERE)!r}); {code}"]


class _Zygote:
    """The running zygote, as this program sees it."""

    def __init__(self) -> None:
        self.parent = os.getpid()
        self.orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = guest_command(f"from _guest._zygote import main; main({self.parent})")
        # By its mark the next program finds what is left of this one: a keeper that somebody has stopped does not end.
        mark = owner_mark()
        own = {OWNER_VARIABLE: mark} if mark else {}
        with theirs:
            self.pid = os.posix_spawn(
                command[0],
                command,
                _LINKED | own | {name: os.environ[name] for name in _KEPT if name in os.environ},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                ],
                setsid=True,  # Ctrl-C is the program's to handle; it will hang up
            )

    def close(self) -> None:
        """Let go of a zygote; if it is this process's own, take its exit status."""
        self.orders.close()
        if self.parent == os.getpid():
            with suppress(ChildProcessError):
                os.waitpid(self.pid, 0)

    def end_zygote(self) -> None:
        """Let it end, now that the program does, so that whoever times the program sees what its sandboxes cost."""
        self.orders.close()
        if self.parent == os.getpid():
            with suppress(OSError), select.epoll() as waiting:
                waiting.register(os.pidfd_open(self.pid), select.EPOLLIN)
                if waiting.poll(_END_S) and os.waitpid(self.pid, 0)[1]:
                    _killed.add(self.pid)


_lock = threading.Lock()
_zygotes: list[_Zygote] = []
_killed: set[int] = set()


def cpu_seconds() -> float:
    """Seconds of processor time that the sandboxes of this program have got so far, those that have ended included."""
    with _lock:
        left = [zygote.pid for zygote in _zygotes if zygote.parent == os.getpid()]
    total = 0
    while left:
        pid = left.pop()
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            total += sum(map(int, fields[11:15]))  # its own, and that of the children whose end it has seen
            left += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_bytes().split())
    return total / os.sysconf("SC_CLK_TCK")


def _end_zygotes() -> None:
    """Let zygotes end, and clear away after those that were killed."""
    while _zygotes:
        _zygotes.pop().end_zygote()
    if _killed:
        remove_groups_of(_killed, _END_S)


def spawn_keeper(channel: socket.socket, order: bytes = b"box") -> None:
    """Start a keeper that serves the other end of `channel`.

    Args:
        channel: One end of a socket pair.
        order: What it is to keep; see `_guest/_keeper.py`.

    Raises:
        SandboxUnavailableError: This is not Linux, or the zygote cannot be started.
    """
    if sys.platform != "linux":
        raise SandboxUnavailableError(
            f"sandboxes need Linux, and this is {sys.platform}. Run honestly in a Linux container (Docker, Podman) or "
            "virtual machine; everything but running untrusted code works here."
        )
    reason = "it ends at once"
    with _lock:
        # Twice, since a zygote may have died; after a fork of this program, it is the parent's.
        for _ in range(2):
            if _zygotes and _zygotes[0].parent != os.getpid():
                _zygotes.pop().close()
                _killed.clear()  # the parent's
            try:
                if not _zygotes:
                    if getrlimit(RLIMIT_NOFILE)[0] < _FEWEST_FILES:
                        raise SandboxUnavailableError(f"sandboxes need more open files; {open_files_advice()}")
                    _zygotes.append(_Zygote())
                    atexit.unregister(_end_zygotes)
                    atexit.register(_end_zygotes)  # before those whose temporary folders its sandboxes may use
                socket.send_fds(_zygotes[0].orders, [order], [channel.fileno()])
                return
            except ConnectionError:
                _killed.add(_zygotes[0].pid)
                _zygotes.pop().close()
            except OSError as error:
                reason = str(error)
    raise SandboxUnavailableError(
        f"the interpreter {base_python()} cannot be started to build sandboxes ({reason}); expected a Python "
        f"{sys.version_info.major}.{sys.version_info.minor} with its standard library there"
    )
