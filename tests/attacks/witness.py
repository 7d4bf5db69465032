"""Seeing what an attack did outside of its sandbox, or left there: the same questions after every attack.

The witness offers what attacks aim at (a file with answers, a directory that everybody may write to, servers, a process)
and listens to its own heart: a thread that misses beats shows a machine, or a program, that was held up.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .attack import MARK, Target

__all__ = ["SECRET", "Witness", "descendants", "witness"]

SECRET = "honestly-attack-hunter2"
"""In the secret file and in the environment; no report may show it."""

_PR_SET_CHILD_SUBREAPER = 36
_KEY = 0x407E57
_BEAT_S, _MISSED_S = 0.02, 2.0
_PATIENCE_S = 5.0
_SHARED = ("/", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/etc", "/etc/cron.d", "/srv", "/home", "/root")
_TEXT = f'PASSWORD = "{SECRET}"\nCASES = [(("int", 5), 32), (("str", 12), "c-2")]\n'


def descendants(pid: int) -> list[int]:
    """All processes below one, nearest first."""
    found: list[int] = []
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *descendants(int(child))]
    return found


def _told(pid: int) -> str:
    """A process in a few words: number, parent, state, user, command."""
    with suppress(OSError, IndexError):
        fields = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        words = [fields[name].split()[0] for name in ("PPid", "State", "Uid", "Name")]
        return f"{pid}: {' '.join(words)} {Path(f'/proc/{pid}/cmdline').read_bytes()[-60:]!r}"
    return f"{pid}: gone"


class Witness:
    """What was there before, what must not change, and what must not come."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._outside = folder / "outside"
        self._outside.mkdir()
        self._outside.chmod(0o777)
        self._secret = folder / "secret.py"
        self._secret.write_text(_TEXT)
        self._victim = subprocess.Popen(["sleep", "10000"])
        self._tcp = socket.create_server(("127.0.0.1", 0))
        port = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", port))
        self._abstract = socket.socket(socket.AF_UNIX)
        name = f"honestly-witness-{os.getpid()}"
        self._abstract.bind("\0" + name)
        self._abstract.listen()
        for listener in (self._tcp, self._udp, self._abstract):
            listener.setblocking(False)
        self.target = Target(
            port=port, abstract=name, secret=str(self._secret), outside=str(self._outside), pid=self._victim.pid
        )
        self._mounts = Path("/proc/self/mountinfo").read_text()
        self._gap, self._last = 0.0, time.monotonic()
        self._over = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True)
        self._heart.start()

    def close(self) -> None:
        """Lets go of everything."""
        self._over.set()
        self._heart.join()
        self._victim.kill()
        self._victim.wait()
        for listener in (self._tcp, self._udp, self._abstract):
            listener.close()

    def processes(self) -> int:
        """How many processes there are below this one, the victim not counted."""
        return len(descendants(os.getpid())) - 1

    def harms(self, processes: int) -> list[str]:
        """What is not as it was, in words; waits for what was killed to be gone.

        Args:
            processes: How many may be there, as `processes()` counted before.
        """
        found = [*self._broken(), *self._reached(), *self._left(), *self._held_up()]
        due = time.monotonic() + _PATIENCE_S
        while self.processes() > processes and time.monotonic() < due:
            time.sleep(0.01)
        if (now := self.processes()) > processes:
            found.append(f"{now - processes} processes are left, among {[*map(_told, descendants(os.getpid()))]}")
        return found

    def _broken(self) -> Iterator[str]:
        state = Path(f"/proc/{self._victim.pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state not in "SRD":
            yield f"the process outside is {state}"
        if self._secret.read_text() != _TEXT:
            yield "the secret file was changed"
        if Path("/proc/self/mountinfo").read_text() != self._mounts:
            yield "the mounts are not the same"

    def _reached(self) -> Iterator[str]:
        for name, listener in (("loopback", self._tcp), ("abstract socket", self._abstract)):
            with suppress(BlockingIOError):
                listener.accept()[0].close()
                yield f"the {name} was reached"
        with suppress(BlockingIOError):
            self._udp.recv(1)
            yield "the loopback was reached by UDP"

    def _left(self) -> Iterator[str]:
        places = {*_SHARED, str(self._outside), str(self._folder), str(Path.home()), str(Path.cwd())}
        for place in places:
            with suppress(OSError):
                yield from (f"{path} is left" for path in Path(place).iterdir() if MARK in path.name)
        for kind in ("shm", "msg", "sem"):
            for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]:
                if _KEY <= int(line.split()[0]) < _KEY + 100:
                    yield f"a {kind} segment is left"
        for table in ("/proc/keys", "/proc/net/unix"):
            with suppress(OSError):
                if MARK in Path(table).read_text():
                    yield f"something is left in {table}"

    def _held_up(self) -> Iterator[str]:
        gap, self._gap = self._gap, 0.0
        if gap > _MISSED_S:
            yield f"the program was held up for {gap:.1f} s"

    def _beat(self) -> None:
        while not self._over.wait(_BEAT_S):
            now = time.monotonic()
            self._gap, self._last = max(self._gap, now - self._last), now


@contextmanager
def witness() -> Iterator[Witness]:
    """A witness; as long as it looks on, orphans become children of this process, where they are seen."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    folder = Path(tempfile.mkdtemp(prefix="honestly-witness-"))
    folder.chmod(0o755)
    os.environ["HONESTLY_SECRET"] = SECRET
    seen = Witness(folder)
    try:
        yield seen
    finally:
        seen.close()
        os.environ.pop("HONESTLY_SECRET")
        shutil.rmtree(folder)
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0)
