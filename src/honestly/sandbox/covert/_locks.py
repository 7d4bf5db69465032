"""Channels of what two can lock, watch or wait for: records of files, folders, devices, pages that are mapped."""

# ruff: noqa: E501 - the text of attacks

from honestly.sandbox.covert._channel import DEVICES, CovertChannel


def _lock_channel(path: str, mode: str, look: int, set_: int) -> str:
    """Locks of a range of bytes, whose offset is the value."""
    return f"""
fd = os.open({path}, os.{mode})
flock = lambda kind, start, size: struct.pack("hhqqi4x", kind, 0, start, size, 0)
def send(value):
    fcntl.fcntl(fd, {set_}, flock(2, 0, 0))
    fcntl.fcntl(fd, {set_}, flock(0, value, 1))
def look():
    kind, _, start, _, _ = struct.unpack("hhqqi4x", fcntl.fcntl(fd, {look}, flock(1, 0, 0)))
    return start if kind != 2 else -1
"""


def _flock_channel(path: str) -> str:
    return f"""
fd = os.open({path}, os.O_RDONLY)
def send(bit):
    fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB if bit else fcntl.LOCK_UN)
def look():
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 1
    fcntl.flock(fd, fcntl.LOCK_UN)
    return 0
"""


def _inotify_channel(path: str, touch: str) -> str:
    return f"""
fd = -1
def send(bit):
    if bit:
        {touch}
def look():
    global fd
    if fd < 0:
        fd = libc.inotify_init1(0x800)
        if fd < 0 or libc.inotify_add_watch(fd, {path}.encode(), 0xFFF) < 0:
            raise OSError(ctypes.get_errno(), "inotify")
    try:
        return len(os.read(fd, 1 << 16))
    except BlockingIOError:
        return 0
"""


def _waiting_channel(number: int, wait: str, wake: str = "return futex(place, 1, 99)") -> str:
    """A sender that waits on a page of a shown file, and a receiver who counts whom it wakes."""
    return f"""
place = word({number})
def send(bit):
    if bit:
        beside(lambda: {wait})
def look():
    {wake}
"""


def _waking_channel(number: int, wake: str, value: str = "None") -> str:
    """A sender that wakes on a page of a shown file, and a receiver who waits there all the time."""
    return f"""
place = word({number}, {value})
woken, before = None, 0
def send(bit):
    if bit:
        {wake}
def look():
    global woken, before
    woken = woken or Woken(place)
    time.sleep(0.0003)
    before, last = woken.count, before
    return before - last
"""


_SHOWN_TO_ALL = (
    "([path for path in ('/usr/share', '/usr/lib', os.path.dirname(os.__file__)) if os.path.isdir(path)] or ['/'])[0]"
)

_HELD = "programs of ours that live on this machine hold these locks"
LOCKS = (
    CovertChannel("record locks of a library", _lock_channel("shown(0)", "O_RDONLY", 5, 6), 256),
    CovertChannel("locks of open files of a library", _lock_channel("shown(1)", "O_RDONLY", 36, 37), 256),
    CovertChannel("flock of a library", _flock_channel("shown(0)")),
    CovertChannel("record locks of a device", _lock_channel("'/dev/full'", "O_RDWR", 5, 6), 256, open_to_users=DEVICES),
    CovertChannel("flock of a device", _flock_channel("'/dev/full'"), open_to_users=DEVICES),
    CovertChannel(
        "flock of a folder",
        _flock_channel("([path for path in ('/usr/bin', '/opt/bin', '/') if os.path.isdir(path)])[0]"),
    ),
    CovertChannel(
        "locks of events and epolls",
        """
import select
own = select.epoll(), os.eventfd(0)
def locked(fd, kind):
    try: fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError: return 1
    return 0
def send(bit):
    for fd in own: locked(fd, fcntl.LOCK_SH if bit else fcntl.LOCK_UN)
def look():
    found = locked(own[0], fcntl.LOCK_EX)
    fcntl.flock(own[0], fcntl.LOCK_UN)
    return found
""",
        uncontrolled=_HELD,
    ),
    CovertChannel(
        "record locks of events",
        """
fd = os.eventfd(0)
flock = lambda kind, start, size: struct.pack("hhqqi4x", kind, 0, start, size, 0)
def send(value):
    fcntl.fcntl(fd, 6, flock(2, 0, 0))
    try: fcntl.fcntl(fd, 6, flock(0, value, 1))
    except BlockingIOError: pass
def look():
    kind, _, start, _, _ = struct.unpack("hhqqi4x", fcntl.fcntl(fd, 5, flock(1, 0, 0)))
    return start if kind != 2 else -1
""",
        256,
        uncontrolled=_HELD,
    ),
    CovertChannel(
        "locks of namespaces",
        """
files = [os.open("/proc/self/ns/" + name, os.O_RDONLY) for name in os.listdir("/proc/self/ns")]
def send(bit):
    for fd in files: fcntl.flock(fd, fcntl.LOCK_SH if bit else fcntl.LOCK_UN)
def look():
    found = 0
    for fd in files:
        try: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError: found += 1
        fcntl.flock(fd, fcntl.LOCK_UN)
    return found
""",
    ),
    CovertChannel(
        "leases of a library",
        """
held = []
def send(bit):
    while held: os.close(held.pop())
    if bit: held.append(os.open(shown(17), os.O_RDONLY))
def look():
    fd = os.open(shown(17), os.O_RDONLY)
    try:
        fcntl.fcntl(fd, 1024, 1)
        fcntl.fcntl(fd, 1024, 2)
    except BlockingIOError:
        return 1
    finally:
        os.close(fd)
    return 0
""",
    ),
    CovertChannel(
        "locks that /proc lists",
        """
flock = lambda kind, start: struct.pack("hhqqi4x", kind, 0, start, 1, 0)
own = os.open("locked", os.O_RDWR | os.O_CREAT)
def send(bit):
    fcntl.fcntl(own, 6, struct.pack("hhqqi4x", 2, 0, 0, 0, 0))
    for at in range(16 * bit): fcntl.fcntl(own, 6, flock(1, 2 * at))
def look():
    return len(open("/proc/locks").readlines())
""",
    ),
)
NOTICES = (
    CovertChannel("notices of a library", _inotify_channel("shown(15)", "os.close(os.open(shown(15), os.O_RDONLY))")),
    CovertChannel("notices of a folder", _inotify_channel(_SHOWN_TO_ALL, f"os.listdir({_SHOWN_TO_ALL})")),
    CovertChannel(
        "notices of a device",
        _inotify_channel("'/dev/random'", "os.close(os.open('/dev/random', os.O_RDONLY))"),
        open_to_users=DEVICES,
    ),
    CovertChannel(
        "signals about a folder",
        """
fd = -1
place = os.path.dirname(json.__file__)
def send(bit):
    if bit:
        with open(glob.glob(place + "/tool.py*")[0], "rb") as file: file.read(1)
def look():
    global fd
    if fd < 0:
        fd = os.open(place, os.O_RDONLY)
        fcntl.fcntl(fd, 10, 40)
        fcntl.fcntl(fd, 1026, 0x80000001 - (1 << 32))
    seen = 0
    while signal.sigtimedwait({40}, 0): seen += 1
    return seen
""",
    ),
    CovertChannel(
        "notices by fanotify",
        """
fd = -1
def send(bit):
    if bit: os.close(os.open(shown(16), os.O_RDONLY))
def look():
    global fd
    if fd < 0:
        fd = call((300, 262), 0x202, 0)
        call((301, 263), fd, 1, 0x20, -100, shown(16).encode())
    try:
        return len(os.read(fd, 1 << 16))
    except BlockingIOError:
        return 0
""",
    ),
)
_READ_ONLY = "the kernel wants to write the word, which is in a file that is shown read-only"
_MAPPED = """
kept = []
def mapped():
    fd = opened(57)
    last = max(os.fstat(fd).st_size - 1, 0) & ~4095
    one = mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ, offset=last)
    one[0]
    return one, libc.mmap(None, ctypes.c_size_t(4096), 1, 1, fd, ctypes.c_long(last))
def send(bit):
    while kept: kept.pop().close()
    if bit: kept.append(mapped()[0])
def look():
    one, place = mapped()
    ctypes.string_at(place, 1)
    one.close()
    try:
        {}
    finally:
        libc.munmap(ctypes.c_void_p(place), ctypes.c_size_t(4096))
"""
_ONE_COPY = "a page of a file is one copy for all sandboxes, and /proc tells a process about its own pages"
_OWN_WORD = "ctypes.addressof(OWN)"
PAGES = (
    CovertChannel("waits on a page, woken", _waiting_channel(0, "futex(place, 0, value_of(place), pause(hold))")),
    CovertChannel(
        "waits on a page, by mask",
        """
place = word(1)
def send(value):
    until = time.monotonic() + hold
    beside(lambda: futex(place, 9, value_of(place), pause(until), None, 1 << value))
def look():
    found = -1
    for at in range(31):
        if futex(place, 10, 99, None, None, 1 << at): found = at
    return found
""",
        31,
    ),
    CovertChannel(
        "waits on a page, moved",
        _waiting_channel(
            2,
            "futex(place, 0, value_of(place), pause(hold))",
            "moved = futex(place, 3, 0, ctypes.c_long(99), word(3))\n    futex(word(3), 1, 99)\n    return moved",
        ),
    ),
    CovertChannel(
        "waits on a page, woken beside another",
        "OWN = ctypes.c_uint32(0)\n"
        + _waiting_channel(
            4,
            "futex(place, 0, value_of(place), pause(hold))",
            f"return futex(place, 5, 99, ctypes.c_long(0), {_OWN_WORD}, 0)",
        ),
    ),
    CovertChannel(
        "waits on pages, several at a time",
        _waiting_channel(
            5,
            "call((449, 449), struct.pack('QQII', value_of(place), place, 2, 0), 1, 0, pause(time.monotonic() + hold), 1)",
        ),
    ),
    CovertChannel(
        "waits on a page, the newer calls",
        _waiting_channel(
            6,
            "call((455, 455), ctypes.c_void_p(place), value_of(place), 0xFFFFFFFF, 2, pause(time.monotonic() + hold), 1)",
            "return call((454, 454), ctypes.c_void_p(place), 0xFFFFFFFF, 99, 2)",
        ),
    ),
    CovertChannel(
        "waits on a page for a lock of priorities",
        "OWN = ctypes.c_uint32(0)\n"
        + _waiting_channel(
            7,
            f"futex(place, 11, value_of(place), pause(time.monotonic() + hold), {_OWN_WORD})",
            "try:\n        return futex(place, 1, 99)\n    except OSError as error:\n"
            "        if error.errno != errno.EINVAL: raise\n        return 1",
        ),
        uncontrolled=_READ_ONLY,
    ),
    CovertChannel(
        "a lock of priorities on a page",
        "place = word(8, 0)\ndef send(bit):\n    if bit: futex(place, 6, 0, pause(time.time() + hold))\n"
        "def look():\n    try: futex(place, 8)\n    except BlockingIOError: return 1\n    return 0",
        uncontrolled=_READ_ONLY,
    ),
    CovertChannel(
        "pages that are mapped, in smaps",
        _MAPPED.format(
            "text = open('/proc/self/smaps').read().split('%x-' % place)[1]\n"
            "        return float(text.split('Shared_Clean:')[1].split()[0])"
        ),
        open=_ONE_COPY,
    ),
    CovertChannel(
        "pages that are mapped, in pagemap",
        _MAPPED.format(
            "with open('/proc/self/pagemap', 'rb') as file:\n"
            "            return struct.unpack('Q', os.pread(file.fileno(), 8, place // 4096 * 8))[0] >> 56 & 1"
        ),
        open=_ONE_COPY,
    ),
    CovertChannel("wakes on a page", _waking_channel(16, "futex(place, 1, 99)")),
    CovertChannel(
        "wakes on a page by the end of a thread", _waking_channel(25, "beside(lambda: call((218, 96), place))")
    ),
    CovertChannel(
        "wakes on a page by a list of locks",
        "LIST = (ctypes.c_ulong * 3)()\n"
        + _waking_channel(
            34,
            "LIST[0], LIST[1], LIST[2] = ctypes.addressof(LIST), 0, place\n"
            "        beside(lambda: call((273, 99), ctypes.addressof(LIST), 24))",
            "0",
        ),
    ),
)
