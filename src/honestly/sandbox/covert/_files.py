"""Channels of what has a name, or is kept: files, sockets, queues, priorities, the keeper's memory, the page cache."""

# ruff: noqa: E501, W291 - the text of attacks

from honestly.sandbox.covert._channel import CLOSE, CovertChannel, held_channel


def _taken_name_channel(make: str, remove: str, found: str) -> str:
    """Something with a name, which is there or not."""
    return f"""
import ctypes
kept = []
def send(bit):
    while kept:
        one = kept.pop()
        {remove}
    if bit:
        kept.append({make})
def look():
    {found}
"""


_EXISTS = """try:
        {}
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOKEY):
            return 0
        raise
    return 1"""

_OF_MACHINE = "without a sandbox it would change this machine"
_METADATA = """
def read():
    with open({0}, "rb", 0) as file: file.read(1)
def send(bit):
    for change in (read, lambda: os.utime({0}),
                   lambda: os.chmod({0}, os.stat({0}).st_mode), lambda: os.setxattr({0}, "user.x", b"%d" % turn)):
        try:
            if bit: change()
        except OSError:
            pass
def look():
    found = os.stat({0})
    return min(time.time() - max(found.st_atime, found.st_mtime, found.st_ctime), 9.0)
"""
FILE_SYSTEMS = (
    CovertChannel(
        "times and attributes of a library", _METADATA.format("shown(18)"), harmful=True, uncontrolled=_OF_MACHINE
    ),
    CovertChannel(
        "times and attributes of devices", _METADATA.format("'/dev/urandom'"), harmful=True, uncontrolled=_OF_MACHINE
    ),
    CovertChannel(
        "room on file systems",
        """
def send(bit):
    with open("room", "wb") as file: file.write(b"." * (bit << 20))
    for at in range(32):
        if bit: open(f"room-{at}", "w").close()
        elif os.path.exists(f"room-{at}"): os.unlink(f"room-{at}")
def look():
    places = [os.statvfs(place) for place in ("/", "/usr", "/usr/lib", "/dev", "/tmp", "/dev/shm", "/opt") if os.path.exists(place)]
    return sum(one.f_bfree * one.f_bsize / 65536 + one.f_ffree for one in places)
""",
    ),
    CovertChannel(
        "files that are left",
        """
places = [place for place in (".", "/tmp", "/dev/shm", "/var/tmp") if os.access(place, os.W_OK)]
def send(bit):
    for place in places:
        if bit: open(place + "/honestly-left", "w").close()
        elif os.path.exists(place + "/honestly-left"): os.unlink(place + "/honestly-left")
def look():
    return sum(os.path.exists(place + "/honestly-left") for place in places)
""",
    ),
    CovertChannel(
        "numbers of files",
        """
mine = f"mine-{os.getpid()}-{time.time()}"
def number():
    open(mine, "w").close()
    found = os.stat(mine).st_ino
    os.unlink(mine)
    return found
def send(bit): digit(number, 5, bit, int)
def look(): return number() >> 5 & 1
""",
        apart="numbers",
    ),
)
NAMES = (
    CovertChannel(
        "abstract names of sockets",
        """
kept = []
def bound():
    wire = socket.socket(socket.AF_UNIX)
    wire.bind(b"\\0honestly-%d" % turn)
    return wire
def send(bit):
    while kept: kept.pop().close()
    if bit: kept.append(bound())
def look():
    try: bound().close()
    except OSError as error:
        if error.errno != errno.EADDRINUSE: raise
        return 1
    return 0
""",
    ),
    CovertChannel(
        "names of sockets that are in flight",
        """
import array
wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, os.dup(WIRE))
def send(bit):
    if bit:
        wire.bind(b"\\0honestly-flight-%d" % turn)
        wire.sendmsg([b" "], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [WIRE]))])
def look():
    try: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, os.dup(WIRE)).bind(b"\\0honestly-flight-%d" % turn)
    except OSError as error: return error.errno == errno.EADDRINUSE
    return 0
""",
        later_only=True,
        uncontrolled="it needs a wire in the network that the grader is in, which no sandbox has any more",
    ),
    CovertChannel(
        "ports of the machine",
        """
kept = []
def bound(): 
    wire = socket.socket(socket.AF_INET)
    wire.bind(("127.0.0.1", 20000 + turn % 10000))
    return wire
def send(bit):
    while kept: kept.pop().close()
    if bit: kept.append(bound())
def look():
    try: bound().close()
    except OSError as error:
        if error.errno != errno.EADDRINUSE: raise
        return 1
    return 0
""",
    ),
    CovertChannel(
        "System V message queues",
        _taken_name_channel(
            "call((68, 186), 90000 + turn % 9999, 0o1666)",
            "call((71, 187), one, 0, None)",
            _EXISTS.format("call((68, 186), 90000 + turn % 9999, 0)"),
        ),
    ),
    CovertChannel(
        "System V semaphores",
        _taken_name_channel(
            "call((64, 190), 90000 + turn % 9999, 1, 0o1666)",
            "call((66, 191), one, 0, 0)",
            _EXISTS.format("call((64, 190), 90000 + turn % 9999, 0, 0)"),
        ),
    ),
    CovertChannel(
        "System V shared memory",
        _taken_name_channel(
            "call((29, 194), 90000 + turn % 9999, 4096, 0o1666)",
            "call((31, 195), one, 0, None)",
            _EXISTS.format("call((29, 194), 90000 + turn % 9999, 0, 0)"),
        ),
    ),
    CovertChannel(
        "POSIX message queues",
        _taken_name_channel(
            "(call((240, 180), b'honestly-%d' % (turn % 99), os.O_RDWR | os.O_CREAT, 0o666, None), b'honestly-%d' % (turn % 99))",
            "os.close(one[0]); call((241, 181), one[1])",
            _EXISTS.format("os.close(call((240, 180), b'honestly-%d' % (turn % 99), os.O_RDWR, 0, None))"),
        ),
    ),
    CovertChannel(
        "keys of the user",
        _taken_name_channel(
            "call((248, 217), b'user', b'honestly-%d' % (turn % 99), b'x', 1, -4)",
            "call((250, 219), 9, one, -4)",
            _EXISTS.format("call((250, 219), 10, -4, b'user', b'honestly-%d' % (turn % 99), 0)"),
        ),
    ),
    CovertChannel(
        "numbers of terminals",
        held_channel(
            "kept.extend(os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY) for _ in range(4))",
            "fd = os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY)\n"
            "    found = struct.unpack('I', fcntl.ioctl(fd, 0x80045430, bytes(4)))[0]\n    os.close(fd)\n    return found",
            CLOSE,
        ),
    ),
)
PRIORITIES = (
    CovertChannel(
        "priority of all of a user's processes",
        "def send(bit): os.setpriority(os.PRIO_USER, 0, 7 * bit)\ndef look(): return os.getpriority(os.PRIO_PROCESS, 0)",
        harmful=True,
        uncontrolled=_OF_MACHINE,
    ),
    CovertChannel(
        "priority of all of a user's input",
        "def send(bit): call((251, 30), 3, os.getuid(), (2 << 13) | (7 if bit else 4))\n"
        "def look(): return call((252, 31), 1, 0) & 7",
        harmful=True,
    ),
    CovertChannel(
        "processors, limits, masks",
        "def send(bit):\n    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))} if bit else range(4096))\n"
        "    os.umask(0o77 if bit else 0o22)\n    resource.setrlimit(4, (0, resource.getrlimit(4)[1]))\n"
        "def look():\n    mask = os.umask(0o22)\n    return sum(os.sched_getaffinity(0)) + mask + resource.getrlimit(4)[0] % 99",
        harmful=True,
        uncontrolled="they are a process's own, as far as is known",
    ),
)
_KEEPER = """
def memory():
    if "data" in SEEN and SEEN["turn"] == turn: return SEEN["data"]
    try:
        lines = [line.split() for line in open("/proc/self/maps")]
        spans = [tuple(int(part, 16) for part in line[0].split("-")) for line in lines if line[1].startswith("rw")]
    except OSError:
        here = id(object()) >> 12 << 12
        spans = [(here - (24 << 20), here + (24 << 20))]
        registers = ctypes.create_string_buffer(4096)
        libc.getcontext(registers)
        stack = int.from_bytes(registers.raw[160:168], "little") >> 12 << 12  # where x86-64 keeps its pointer
        spans.append((stack - (1 << 20), stack + (1 << 18)))
    fd = os.open("scan", os.O_RDWR | os.O_CREAT)
    for first, last in spans:
        while first < last:
            first += max(libc.write(fd, ctypes.c_void_p(first), ctypes.c_size_t(min(last - first, 1 << 20))), 4096)
    size = os.lseek(fd, 0, os.SEEK_CUR)
    SEEN["turn"], SEEN["data"] = turn, os.pread(fd, min(size, 1 << 26), 0)
    os.close(fd)
    os.unlink("scan")
    return SEEN["data"]
"""
_MARK = "bytes([90, 113, 74, 120])"  # put together by whoever looks for it, since his own text is in his memory
KEEPERS = (
    CovertChannel(
        "names of files in the keeper's memory",
        f"{_KEEPER}def send(bit):\n"
        f"    for at in range(300 * bit): open(({_MARK} * 9).decode() + f'{{turn}}-{{at}}', 'w').close()\n"
        f"def look(): return memory().count({_MARK} + str(turn).encode())",
        apart="memory",
        later_only=True,
        uncontrolled="only a keeper of earlier versions took these in",
    ),
    CovertChannel(
        "exit status in the keeper's memory",
        f"{_KEEPER}def send(bit): ending.append(119 * bit)\n"
        "def look(): return memory().count((119 << 8).to_bytes(4, 'little') + bytes(4))",
        apart="memory",
        later_only=True,
        uncontrolled="only a keeper of earlier versions took these in",
    ),
)
_COPIES = """
names = ("pydoc", "tarfile", "mailbox", "pickletools", "_pydecimal", "turtle", "optparse", "cgitb")
files = [path for name in names for path in glob.glob(os.path.dirname(os.__file__) + "/" + name + ".py")]
def send(bit):
    for path in files if bit else ():
        fd = os.open(path, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)
"""
_COLD = "files = sorted(path for path in glob.glob('/usr/share/*/*') + glob.glob('/usr/lib/*/*.so*') if os.path.isfile(path))\n"
CACHES = (
    CovertChannel(
        "pages of files dropped, asked of the kernel",
        _COPIES
        + """def look():
    seen = 0
    for path in files:
        with open(path, "rb") as file:
            try: os.preadv(file.fileno(), [bytearray(4096)], 0, 8)
            except BlockingIOError: seen += 1
        open(path, "rb").read()
    return seen
""",
    ),
    CovertChannel(
        "pages of files dropped, seen by mincore",
        _COPIES
        + """def look():
    seen, mark = 0, ctypes.create_string_buffer(1)
    for path in files:
        with open(path, "rb") as file:
            pages = libc.mmap(None, ctypes.c_size_t(4096), 1, 2, file.fileno(), ctypes.c_long(0))
            call((27, 232), pages, 4096, mark)
            seen += mark.raw[0] & 1
            libc.munmap(ctypes.c_void_p(pages), ctypes.c_size_t(4096))
            file.read()
    return seen
""",
    ),
    CovertChannel(
        "a file read for the first time, by what was read from disk",
        _COLD
        + """def send(bit):
    if bit: open(files[turn * 7919 % len(files)], "rb").read()
def look():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
    open(files[turn * 7919 % len(files)], "rb").read()
    return min(resource.getrusage(resource.RUSAGE_SELF).ru_inblock - before, 1)
""",
        open="the page cache is one for all sandboxes, and a program is told how often it waited for the disk",
        uncontrolled="it needs files that nobody has read since this machine was started",
    ),
)
TIMED = (
    CovertChannel(
        "pages of files dropped, timed",
        _COPIES + "def look():\n    began = time.perf_counter()\n    for path in files: open(path, 'rb').read()\n"
        "    return time.perf_counter() - began",
        timing=True,
    ),
    CovertChannel(
        "a file read for the first time, timed",
        _COLD
        + """def send(bit):
    if bit: open(files[turn * 7919 % len(files)], "rb").read()
def look():
    began = time.perf_counter()
    size = len(open(files[turn * 7919 % len(files)], "rb").read())
    return (time.perf_counter() - began) / (size + 4096)
""",
        timing=True,
    ),
    CovertChannel(
        "names that were looked up, timed",
        """
def send(bit):
    for at in range(400 * bit): os.path.exists(f"{os.__file__}-{turn}-{at}")
def spent(tail):
    began = time.perf_counter()
    for at in range(400): os.path.exists(f"{os.__file__}-{turn}{tail}-{at}")
    return time.perf_counter() - began
def look():
    spent("x")
    return spent("") / spent("y")
""",
        timing=True,
    ),
    CovertChannel(
        "the phase of the clock",
        "def send(bit):\n    while (time.time() % 0.1 >= 0.05) != bit: pass\ndef look(): return time.time() % 0.1 >= 0.05",
        timing=True,
    ),
)
