"""Two sandboxes that live at one time, and code in each that tries to tell the other one bit.

Each channel is three pieces of Python: `before` and `after` run in the sandbox that listens, `act` between them in the
one that speaks. What `after` leaves in `seen` may not depend on `bit`. That the pieces work where an object is shared
is shown by two processes of one sandbox.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from small_image import make_image

from honestly.records import Tree
from honestly.sandbox import Extent, Layout, Sandbox, open_sandbox

pytestmark = pytest.mark.anyio
DATA = "/data/some/file"


@dataclass(frozen=True)
class Channel:
    """What each side does with `file`, a file that both see."""

    act: str
    after: str
    before: str = ""
    root_only: bool = False
    """Closed only where a capable root builds the sandboxes."""
    open: bool = False
    """Not closed: docs/sandbox.md says why, and what keeps it from doing harm."""


HEAD = """
import ctypes, fcntl, mmap, os, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
def page():
    place = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, os.open(file, os.O_RDONLY), ctypes.c_long(0))
    return ctypes.c_void_p(place), ctypes.c_uint32.from_address(place).value
def lock(kind, order, start=7):
    try:
        return fcntl.fcntl(os.open(file, os.O_RDONLY), order, struct.pack("hhqqixxxx", kind, 0, start, 1, 0))
    except OSError as error:
        return b"%d" % error.errno
seen = 0
page_of = file if file.startswith("/data") else "/usr/bin/find"
"""
CHANNELS = {
    "record locks": Channel(
        "held = os.open(file, os.O_RDONLY)\n"
        "if bit: fcntl.fcntl(held, fcntl.F_SETLK, struct.pack('hhqqixxxx', 0, 0, 7, 1, 0))",
        "seen = lock(1, fcntl.F_GETLK)[:2].hex()",
    ),
    "the switch for times of packets": Channel(
        "import socket\nkept = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "if bit:\n    for option in (29, 35, 37, 63, 64, 65):\n"
        "        try: kept.setsockopt(1, option, 1)\n        except OSError: pass",
        "import socket\none = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\none.bind(('127.0.0.1', 0))\n"
        "sent = time.time()\none.sendto(b'.', one.getsockname())\ntime.sleep(0.1)\n"
        "try:\n    one.setsockopt(1, 35, 1)\n    stamp = struct.unpack('qq', one.recvmsg(9, 99)[1][0][2])\n"
        "    seen = stamp[0] + stamp[1] / 1e9 < sent + 0.05\nexcept OSError:\n    seen = 'refused'",
    ),
    "locks of descriptors": Channel(
        "held = os.open(file, os.O_RDONLY)\nif bit: fcntl.fcntl(held, 37, struct.pack('hhqqixxxx', 0, 0, 7, 1, 0))",
        "seen = lock(1, 36)[:2].hex()",
    ),
    "flock": Channel(
        "held = os.open(file, os.O_RDONLY)\nif bit: fcntl.flock(held, fcntl.LOCK_SH)",
        "try: fcntl.flock(os.open(file, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)\nexcept OSError: seen = 1",
    ),
    "leases": Channel(
        "held = os.open(file, os.O_RDONLY)\nif bit: fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_RDLCK)",
        "try: fcntl.fcntl(os.open(file, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_WRLCK)\n"
        "except OSError as error: seen = error.errno",
    ),
    "notices of files": Channel(
        "if bit: open(file, 'rb').read(1)",
        "try: seen = len(os.read(watch, 4096)) > 0\nexcept BlockingIOError: seen = 0",
        "watch = libc.inotify_init1(os.O_NONBLOCK)\nlibc.inotify_add_watch(watch, file.encode(), 0xfff)",
    ),
    "notices of directories": Channel(
        "if bit: os.listdir(os.path.dirname(file)); open(file, 'rb').read(1)",
        "try: seen = len(os.read(watch, 4096)) > 0\nexcept BlockingIOError: seen = 0",
        "watch = libc.inotify_init1(os.O_NONBLOCK)\nlibc.inotify_add_watch(watch, os.path.dirname(file).encode(), 0xfff)",
    ),
    "signals of directories": Channel(
        "if bit: open(file, 'rb').read(1)",
        "time.sleep(0.1)\nseen = len(got)",
        "import signal\ngot = []\nsignal.signal(signal.SIGIO, lambda *_: got.append(1))\n"
        "try: fcntl.fcntl(os.open(os.path.dirname(file), os.O_RDONLY), fcntl.F_NOTIFY, 0x80000001)\n"
        "except OSError: pass",
    ),
    "notices of a device": Channel(
        "if bit: open('/dev/null', 'wb').write(b'.')",
        "try: seen = len(os.read(watch, 4096)) > 0\nexcept BlockingIOError: seen = 0",
        "watch = libc.inotify_init1(os.O_NONBLOCK)\nlibc.inotify_add_watch(watch, b'/dev/null', 2)",
        root_only=True,
    ),
    "locks of a device": Channel(
        "held = os.open('/dev/null', os.O_RDONLY)\nif bit: fcntl.flock(held, fcntl.LOCK_SH)",
        "try: fcntl.flock(os.open('/dev/null', os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)\nexcept OSError: seen = 1",
        root_only=True,
    ),
    "waits on a page": Channel(
        "import threading\nplace, word = page()\n"
        "if bit: threading.Thread(target=libc.syscall, args=(202, place, 0, word, None, None, 0), daemon=True).start()\n"
        "time.sleep(0.2)",
        "place, word = page()\nseen = libc.syscall(202, place, 1, 1, None, None, 0)",
    ),
    "newer waits on a page": Channel(
        "import threading\nplace, word = page()\none = struct.pack('QQII', word, place.value, 2, 0)\n"
        "if bit: threading.Thread(target=libc.syscall, args=(449, one, 1, 0, None, 0), daemon=True).start()\n"
        "time.sleep(0.2)",
        "place, word = page()\nseen = libc.syscall(202, place, 1, 1, None, None, 0)",
    ),
    "times of a read": Channel(
        "if bit: open(file, 'rb').read(1)",
        "seen = os.stat(file).st_atime_ns - had",
        "had = os.stat(file).st_atime_ns",
    ),
    "locks of what has no inode of its own": Channel(
        "import select\nheld = select.epoll()\nif bit: fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)",
        "import select\ntry: fcntl.flock(select.epoll(), fcntl.LOCK_EX | fcntl.LOCK_NB)\nexcept OSError: seen = 1",
    ),
    "record locks of what has no inode of its own": Channel(
        "held = libc.eventfd(0, 0)\nif bit: fcntl.fcntl(held, fcntl.F_SETLK, struct.pack('hhqqixxxx', 1, 0, 7, 1, 0))",
        "held = libc.eventfd(0, 0)\n"
        "seen = fcntl.fcntl(held, fcntl.F_GETLK, struct.pack('hhqqixxxx', 1, 0, 7, 1, 0))[:2].hex()",
    ),
    "notices of what has no inode of its own": Channel(
        "held = libc.eventfd(0, 0)\nif bit: os.write(held, b'12345678')",
        "try: seen = len(os.read(watch, 4096)) > 0\nexcept BlockingIOError: seen = 0",
        "watch = libc.inotify_init1(os.O_NONBLOCK)\n"
        "libc.inotify_add_watch(watch, b'/proc/self/fd/%d' % libc.eventfd(0, 0), 0xfff)",
    ),
    **{
        f"locks of a namespace ({name})": Channel(
            f"held = os.open('/proc/self/ns/{name}', os.O_RDONLY)\nif bit: fcntl.flock(held, fcntl.LOCK_SH)",
            f"held = os.open('/proc/self/ns/{name}', os.O_RDONLY)\n"
            "try: fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)\nexcept OSError: seen = 1",
        )
        for name in (
            "cgroup",
            "ipc",
            "mnt",
            "net",
            "pid",
            "pid_for_children",
            "time",
            "time_for_children",
            "user",
            "uts",
        )
    },
    "numbers of sockets that were asked for": Channel(
        "import socket\nfor _ in range(20000 * bit):\n    with socket.socket() as one: one.getsockopt(1, 57, 8)",
        "seen = (int.from_bytes(socket.socket().getsockopt(1, 57, 8), 'little') - had) // 10000",
        "import socket\nhad = int.from_bytes(socket.socket().getsockopt(1, 57, 8), 'little')",
    ),
    "room for asynchronous input": Channel(
        "context = ctypes.c_ulong()\nif bit: libc.syscall(206, 60000, ctypes.byref(context))",
        "context = ctypes.c_ulong()\nseen = libc.syscall(206, 60000, ctypes.byref(context))",
    ),
    "number of watchers": Channel(
        "held = [libc.inotify_init1(0) for _ in range(130 * bit)]",
        "seen = libc.inotify_init1(0) < 0",
        root_only=True,
    ),
    "number of event descriptors": Channel(
        "held = [libc.eventfd(0, 0) for _ in range(200 * bit)]",
        "held = [libc.eventfd(0, 0) for _ in range(20)]\n"
        "seen = max(int(open(f'/proc/self/fdinfo/{one}').read().split('eventfd-id:')[1].split()[0]) for one in held) // 100",
        open=True,
    ),
    "pages that are mapped": Channel(
        "import glob\nif bit:\n"
        "    place = mmap.mmap(os.open(page_of, os.O_RDONLY), 4096, mmap.MAP_SHARED, mmap.PROT_READ); place[0]",
        "place = mmap.mmap(os.open(page_of, os.O_RDONLY), 4096, mmap.MAP_SHARED, mmap.PROT_READ); place[0]\n"
        "text = open('/proc/self/smaps').read().split(page_of)[1]\nseen = text.split('Shared_Clean:')[1].split()[0]",
        open=True,
    ),
    "packets of the machine": Channel(
        "import socket\none = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "for _ in range(20000 * bit): one.sendto(b'.', ('127.0.0.1', 9))",
        "seen = (packets() - had) // 15000",
        "def packets(): return sum(int(line.split()[0], 16) for line in open('/proc/net/softnet_stat'))\nhad = packets()",
        root_only=True,
    ),
    "sockets of the machine": Channel(
        "import socket\nheld = [socket.create_server(('127.0.0.1', 0)) for _ in range(300 * bit)]",
        "seen = (sockets() - had) // 200",
        "def sockets(): return int(open('/proc/net/sockstat').read().split('alloc ')[1].split()[0])\nhad = sockets()",
        root_only=True,
    ),
    "memory of the machine": Channel(
        "held = bytearray((1 << 28) * bit)",
        "seen = abs(free() - had) >> 27",
        "def free():\n    room = (ctypes.c_ulong * 16)()\n    libc.sysinfo(room)\n    return room[5]\nhad = free()",
    ),
}
PYTHON = "import os, sys; file = os.path.realpath(sys.executable)"


async def told(speaker: Sandbox, hearer: Sandbox, where: str, channel: Channel, bit: int) -> str:
    """What the listener has seen."""
    turn = "print(0, flush=True); sys.stdin.readline()"
    # What is refused says nothing.
    before, after, act = (
        f"try: exec({code!r})\nexcept (OSError, NameError): pass"
        for code in (channel.before, channel.after, channel.act)
    )
    listen = f"{where}\n{HEAD}{before}\n{turn}\n{after}\nprint(repr(seen), flush=True)"
    speak = f"{where}\n{HEAD}bit = {bit}\n{act}\n{turn}\nos._exit(0)"
    hears = await hearer.start(["python3", "-c", listen])
    assert await hears.receive() == b"0\n", (await hears.wait()).stderr.decode()
    speaks = await speaker.start(["python3", "-c", speak])
    assert await speaks.receive() == b"0\n", (await speaks.wait()).stderr.decode()
    await hears.send(b"\n")
    seen = await hears.receive()
    assert seen, (await hears.wait()).stderr.decode()
    for process in (speaks, hears):
        await process.close_stdin()
        await process.wait()
    return seen.decode()


async def carrying(speaker: Sandbox, hearer: Sandbox, where: str) -> set[str]:
    """Names of the channels over which a bit came across."""
    return {
        name
        for name, channel in CHANNELS.items()
        if not (channel.open or (channel.root_only and os.geteuid()))
        and await told(speaker, hearer, where, channel, 0) != await told(speaker, hearer, where, channel, 1)
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A directory of the machine to show, whose file was last read long ago."""
    folder = tmp_path / "data"
    (folder / "some").mkdir(parents=True)
    (folder / "some/file").write_text("0" * 4096)
    os.utime(folder / "some/file", (1, 1))
    return folder


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("extent", [Extent.MACHINE, Extent.PYTHON])
async def test_two_sandboxes_share_nothing_of_the_machine(extent: Extent, data: Path) -> None:
    layout = Layout(shown={"/data": data})
    async with (
        open_sandbox(Tree(), extent=extent, layout=layout) as one,
        open_sandbox(Tree(), extent=extent, layout=layout) as other,
    ):
        assert await carrying(one, other, PYTHON) == set()
        assert await carrying(one, other, f"file = {DATA!r}") == set()


@pytest.mark.slow
@pytest.mark.parametrize("user", [None, (0, 0)])
async def test_two_sandboxes_share_nothing_of_an_image(user: tuple[int, ...] | None, tmp_path: Path) -> None:
    root = tmp_path / "image"
    root.mkdir()
    make_image(root, ["sh", "env"], python=True)
    layout = Layout(root=root, user=user, open_root=user is not None)
    async with open_sandbox(Tree(), layout=layout) as one, open_sandbox(Tree(), layout=layout) as other:
        assert await carrying(one, other, PYTHON.replace("sys.executable", "'/usr/bin/python3'")) == set()


_ZYGOTE = """
import os, select, socket, sys
from honestly.sandbox._guest import _zygote
select.epoll = lambda: open(sys.argv[1], "r+")  # a file for the inode of all programs of this machine
orders, ours = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
print(flush=True)
_zygote._fork_on_order(orders, 0, None, None)
"""


async def test_locks_that_another_program_had_are_ours_when_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "inode"
    path.touch()
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        zygote = await anyio.open_process([sys.executable, "-c", _ZYGOTE, str(path)], stderr=None)
        assert zygote.stdin is not None
        assert zygote.stdout is not None
        await zygote.stdout.receive()
        await anyio.sleep(0.3)
    await anyio.sleep(0.5)
    with path.open() as mine, pytest.raises(BlockingIOError):
        fcntl.flock(mine, fcntl.LOCK_SH | fcntl.LOCK_NB)
    await zygote.stdin.aclose()
    assert await zygote.wait() == 0


_WAITS = """
import multiprocessing as mp, queue
def post(one, times):
    for _ in range(times): one.release()
if __name__ == "__main__":
    lock, one, line = mp.Lock(), mp.Semaphore(0), mp.Queue()
    lock.acquire()
    said = [lock.acquire(timeout=0.1), one.acquire(timeout=0.1)]
    try: line.get(timeout=0.1)
    except queue.Empty: said.append("empty")
    posting = mp.Process(target=post, args=(one, 50))
    posting.start()
    said.append(sum(one.acquire(timeout=20) for _ in range(50)))
    posting.join()
    with mp.Pool(3) as pool: said.append(sum(pool.map(abs, range(100), chunksize=1)))
    event = mp.Event()
    said += [event.wait(0.1), event.set(), event.wait(20)]
    print(said)
"""


async def test_waits_between_processes_end_by_time_and_by_word() -> None:
    async with open_sandbox(Tree.of({"waits.py": _WAITS})) as box:
        result = await box.exec(["python3", "waits.py"], timeout=60)
        assert result.stdout == b"[False, False, 'empty', 50, 4950, False, None, True]\n", result.stderr.decode()


_COUNTED = """
import os
def everything():
    found = {}
    for top, folders, names in os.walk("/proc"):
        folders[:] = [name for name in folders if not name.isdigit() and name not in ("self", "thread-self", "net")]
        for name in names:
            try: found[top + "/" + name] = open(top + "/" + name, "rb").read(1 << 16)
            except OSError: pass
    return found
had = everything()
print(len(had), flush=True)
input()
now = everything()
print(sorted(name for name in {*had, *now} if had.get(name) != now.get(name)), flush=True)
"""
_BUSY = """
import os, socket
for _ in range(50):
    if os.fork() == 0: os._exit(0)
    os.wait()
held = [bytearray(1 << 24) for _ in range(4)], [os.pipe() for _ in range(50)], [socket.socket() for _ in range(50)]
for number in range(300): open(str(number), "w").close()
"""


async def test_nothing_in_proc_moves_by_what_others_do() -> None:
    async with open_sandbox(Tree()) as one, open_sandbox(Tree()) as other:
        watcher = await other.start(["python3", "-c", _COUNTED])
        assert int(await watcher.receive()) > 50
        assert (await one.exec(["python3", "-c", _BUSY])).code == 0
        await watcher.send(b"\n")
        assert await watcher.receive() == b"['/proc/sys/kernel/random/uuid']\n"  # drawn for each reader


@pytest.mark.parametrize("command", ["nproc", "free -m", "ps aux", "uptime", "top -b -n 1", "vmstat", "df"])
async def test_programs_that_look_at_the_machine_find_what_they_need(command: str) -> None:
    if shutil.which(command.split(maxsplit=1)[0]) is None:
        pytest.skip(f"there is no {command.split(maxsplit=1)[0]} on this machine")
    async with open_sandbox(Tree()) as box:
        result = await box.exec(command, env={"TERM": "dumb"})
        assert (result.code, result.stderr) == (0, b"")


async def test_labels_of_flows_which_the_machine_has_few_of_are_refused() -> None:
    label = "struct.pack('=15xBIBBHHHI', 1, socket.htonl(77), 0, 255, 1, 6, 6, 0)"
    program = f"import socket, struct; socket.socket(10, 2).setsockopt(41, 32, {label})"
    async with open_sandbox(Tree()) as box:
        done = await box.exec(["python3", "-c", program])
    assert b"Operation not permitted" in done.stderr
