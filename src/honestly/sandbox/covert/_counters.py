"""Channels of what the kernel counts or numbers: how much there is of something, and which number a new one gets."""

from honestly.sandbox.covert._channel import CLOSE, DROWNED, NUMBERED, CovertChannel, held_channel


def _count_of(path: str) -> str:
    return f"return float(open({path!r}).read().split()[0])"


_FILLED = "os.open('/dev/null', 0)"
_THREADS_HELD = """stop = threading.Event()
        for _ in range(3):
            _thread.start_new_thread(stop.wait, (hold * 4,))
        kept.append(stop)"""

_OF_NETWORKS = "an ordinary user cannot cover what /proc/net counts of all networks"
_OF_USER = "the kernel counts it for the user who builds the sandboxes"
LEVELS = (
    CovertChannel(
        "files that are open, in /proc/sys",
        "open('/proc/sys/fs/file-nr').close()\n"
        + held_channel(f"kept.extend({_FILLED} for _ in range(200))", _count_of("/proc/sys/fs/file-nr"), CLOSE),
    ),
    CovertChannel(
        "asynchronous requests, in /proc/sys",
        """
def number(): return int(open("/proc/sys/fs/aio-nr").read()) >> 6
def step():
    place = ctypes.c_ulong(0)
    call((206, 0), 64, ctypes.byref(place))
def send(bit): digit(number, 4, bit, step)
def look(): return number() >> 4 & 1
""",
        apart="numbers",
    ),
    CovertChannel(
        "room for asynchronous requests",
        """
kept = []
def asked():
    place = ctypes.c_ulong(0)
    call((206, 0), 60000, ctypes.byref(place))
    return place.value
def send(bit):
    while kept: call((207, 1), kept.pop())
    if bit: kept.append(asked())
def look():
    try: call((207, 1), asked())
    except BlockingIOError: return 1
    return 0
""",
        harmful=True,
        uncontrolled="without a sandbox it would use up what this machine has",
    ),
    CovertChannel(
        "names that were looked up, in /proc/sys",
        """
open("/proc/sys/fs/dentry-state").close()
before = 0
def send(bit):
    for at in range(300 * bit): os.path.exists(f"/usr/{turn}-{at}")
def look():
    global before
    last, before = before, int(open("/proc/sys/fs/dentry-state").read().split()[0])
    return before - last
""",
    ),
    CovertChannel(
        "inodes, in /proc/sys",
        "open('/proc/sys/fs/inode-nr').close()\n"
        + held_channel("for _ in range(40): kept.extend(os.pipe())", _count_of("/proc/sys/fs/inode-nr"), CLOSE),
    ),
    CovertChannel(
        "terminals, in /proc/sys",
        held_channel(
            "kept.extend(os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY) for _ in range(4))",
            _count_of("/proc/sys/kernel/pty/nr"),
            CLOSE,
        ),
    ),
    CovertChannel(
        "threads, in /proc/loadavg",
        held_channel(_THREADS_HELD, "return float(open('/proc/loadavg').read().split()[3].split('/')[1])", "one.set()"),
    ),
    CovertChannel(
        "threads, by sysinfo",
        held_channel(
            _THREADS_HELD,
            "room = ctypes.create_string_buffer(256)\n    call((99, 179), room)\n"
            "    return struct.unpack_from('H', room, 80)[0]",
            "one.set()",
        ),
        uncontrolled=DROWNED,
    ),
    CovertChannel(
        "memory, by sysinfo",
        held_channel(
            "kept.append(bytearray(b'.') * (1 << 21))",
            "room = ctypes.create_string_buffer(256)\n    call((99, 179), room)\n"
            "    return struct.unpack_from('Q', room, 40)[0] >> 20",
        ),
        uncontrolled=DROWNED,
    ),
    CovertChannel(
        "memory, in /proc/meminfo",
        held_channel(
            "kept.append(bytearray(b'.') * (1 << 21))", "return float(open('/proc/meminfo').read().split()[4]) // 1024"
        ),
        uncontrolled=DROWNED,
    ),
    CovertChannel(
        "faults, in /proc/vmstat",
        """
before = 0
def send(bit):
    if bit: bytearray(b".") * (1 << 21)
def look():
    global before
    last, before = before, next(int(line.split()[1]) for line in open("/proc/vmstat") if line.startswith("pgfault "))
    return before - last
""",
        uncontrolled=DROWNED,
    ),
    CovertChannel(
        "pressure, in /proc/pressure",
        """
open("/proc/pressure/cpu").close()
before = 0
def send(bit):
    until = time.time() + hold / 50
    while bit and time.time() < until: pass
def look():
    global before
    last, before = before, int(open("/proc/pressure/cpu").read().split()[4].split("=")[1])
    return before - last
""",
    ),
    CovertChannel(
        "sockets, in /proc/net/sockstat",
        "open('/proc/self/net/sockstat').close()\n"
        + held_channel(
            "kept.extend(socket.socket(socket.AF_INET) for _ in range(30))",
            "return float(next(line.split()[8] for line in open('/proc/self/net/sockstat') if line.startswith('TCP')))",
            "one.close()",
        ),
        open_to_users=_OF_NETWORKS,
    ),
    CovertChannel(
        "packets, in /proc/net/softnet_stat",
        """
open("/proc/self/net/softnet_stat").close()
before = 0
def send(bit):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        for _ in range(60 * bit): one.sendto(b".", ("127.0.0.1", 9))
def look():
    global before
    last, before = before, sum(int(line.split()[0], 16) for line in open("/proc/self/net/softnet_stat"))
    return before - last
""",
        open_to_users=_OF_NETWORKS,
    ),
    CovertChannel(
        "numbers of events",
        held_channel(
            "kept.extend(os.eventfd(0) for _ in range(20))",
            "fd = os.eventfd(0)\n    text = open(f'/proc/self/fdinfo/{fd}').read().split()\n    os.close(fd)\n"
            "    return float(text[text.index('eventfd-id:') + 1])",
            CLOSE,
        ),
        open=NUMBERED,
    ),
    CovertChannel(
        "numbers of namespaces",
        held_channel(
            "for _ in range(20):\n"
            "            call((272, 97), 0x04000000)\n"
            "            kept.append(os.open('/proc/self/ns/uts', os.O_RDONLY))",
            "call((272, 97), 0x04000000)\n    return float(os.readlink('/proc/self/ns/uts')[5:-1])",
            CLOSE,
        ),
    ),
    CovertChannel(
        "watches of a user",
        """
kept = []
def taken():
    while (fd := libc.inotify_init1(0x80000)) >= 0: kept.append(fd)
    if ctypes.get_errno() == errno.EPERM: raise OSError(errno.EPERM, "inotify_init1")
    return len(kept)
def free():
    while kept: os.close(kept.pop())
def send(bit):
    free()
    if bit: taken()
def look():
    found = taken()
    free()
    return found
""",
        apart="watches",
        harmful=True,
        open_to_users=_OF_USER,
    ),
    CovertChannel(
        "room in pipes of a user",
        """
kept = []
def free():
    while kept: os.close(kept.pop())
def send(bit):
    free()
    for _ in range(72 * bit):
        kept.extend(os.pipe())
        try: fcntl.fcntl(kept[-1], 1031, 1 << 20)
        except OSError: pass
def look():
    kept.extend(os.pipe())
    found = fcntl.fcntl(kept[-1], 1032)
    free()
    return found
""",
        apart="pipes",
        harmful=True,
        open_to_users=_OF_USER,
    ),
    CovertChannel(
        "processes of a user",
        """
stop, kept = threading.Event(), 0
def fill():
    global stop
    stop = threading.Event()
    for found in range(100):
        try: _thread.start_new_thread(stop.wait, (hold * 4,))
        except RuntimeError: return found
    return 100
def send(bit):
    stop.set()
    if bit: fill()
def look():
    found = fill()
    stop.set()
    return found
""",
        apart="processes",
        harmful=True,
        uncontrolled="a sandbox's own limits come first",
    ),
)
NUMBERS = (
    CovertChannel(
        "counters of the network",
        """
def number(): return next(int(line.split()[2]) for line in open("/proc/self/net/dev") if "lo:" in line)
def step():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one: one.sendto(b".", ("127.0.0.1", 9))
def send(bit): digit(number, 4, bit, step)
def look(): return number() >> 4 & 1
""",
        apart="numbers",
    ),
    CovertChannel(
        "numbers that connections choose",
        """
wire = None

def number(count=1):
    global wire
    if not wire:
        wire = socket.socket(socket.AF_INET)
        try:
            wire.bind(("127.0.0.1", 31999))
            wire.listen(99)
            wire.setblocking(False)
        except OSError:
            pass
    for _ in range(count):
        with socket.socket(socket.AF_INET) as one:
            one.settimeout(1)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.connect(("127.0.0.1", 31999))
            found = one.getsockname()[1]
        try:
            while True: wire.accept()[0].close()
        except OSError:
            pass
    return found
before = 0
def send(bit):
    if bit: number(12)
def look():
    global before
    last, before = before, number()
    return (before - last) % 28232
""",
        apart="ports",
        open=NUMBERED,
    ),
    CovertChannel(
        "numbers of groups of processes",
        """
def number():
    near, far = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            os.setsid()
            os.write(far, open("/proc/self/autogroup").read().split()[0].split("-")[1].encode())
        finally: os._exit(0)
    os.close(far)
    os.waitpid(pid, 0)
    found = os.read(near, 99)
    os.close(near)
    return int(found)
def send(bit): digit(number, 2, bit, int)
def look(): return number() >> 2 & 1
""",
        apart="groups",
        open=NUMBERED,
        uncontrolled=DROWNED,
    ),
    CovertChannel(
        "cookies of sockets",
        """
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
def number():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        return struct.unpack("Q", one.getsockopt(socket.SOL_SOCKET, 57, 8))[0]
def send(bit): digit(number, 6, bit, int)
def look(): return number() >> 6 & 1
""",
        apart="numbers",
    ),
    CovertChannel(
        "numbers of shared memory",
        """
def number():
    kept.append(mmap.mmap(-1, 4096))
    found = [int(line.split()[4]) for line in open("/proc/self/maps") if "/dev/zero" in line]
    kept.pop().close()
    return found[0]
kept = []
def step():
    for _ in range(50): mmap.mmap(-1, 4096).close()
def send(bit): digit(number, 9, bit, step)
def look(): return number() >> 9 & 1
""",
        apart="numbers",
        open=NUMBERED,
    ),
    CovertChannel(
        "numbers of what /proc lists",
        """
fd, place = os.open("/dev/null", 0), [100]
def number():
    place[0] = place[0] % 100 + 100
    new = fcntl.fcntl(fd, fcntl.F_DUPFD, place[0])
    found = os.lstat(f"/proc/self/fd/{new}").st_ino
    os.close(new)
    os.path.lexists(f"/proc/self/fd/{new}")  # so that the next one there gets a number of its own
    place[0] += 1
    return found
def step():
    for _ in range(8): [os.close(fd) for fd in os.pipe()]
def send(bit): digit(number, 8, bit, step)
def look(): return number() >> 8 & 1
""",
        apart="numbers",
        open=NUMBERED,
    ),
    CovertChannel(
        "counters of the machine",
        """
def number(): return next(int(line.split()[1]) for line in open("/proc/stat") if line.startswith("processes"))
def send(bit): digit(number, 8, bit, lambda: threads(24))
def look(): return number() >> 8 & 1
""",
        apart="forks",
        uncontrolled=DROWNED,
    ),
    CovertChannel(
        "numbers of process descriptors",
        """
def number():
    found = []
    def inside():
        fd = call((434, 434), threading.get_native_id(), 0o200)
        found.append(os.fstat(fd).st_ino)
        os.close(fd)
    one = threading.Thread(target=inside)
    one.start()
    one.join()
    if not found: raise OSError(errno.EPERM, "pidfd_open")
    return found[0]
def send(bit): digit(number, 8, bit, lambda: threads(24))
def look(): return number() >> 8 & 1
""",
        apart="numbers",
        uncontrolled=DROWNED,
    ),
    CovertChannel(
        "numbers of processes and threads",
        """
def number():
    found = []
    one = threading.Thread(target=lambda: found.append(threading.get_native_id()))
    one.start()
    one.join()
    return found[0]
def send(bit): digit(number, 6, bit, lambda: threads(4))
def look(): return number() >> 6 & 1
""",
        apart="threads",
    ),
    CovertChannel(
        "numbers of pipes and sockets",
        """
def number():
    try:
        ends = os.pipe()
    except OSError:
        ends = [end.detach() for end in socket.socketpair()]
    found = os.fstat(ends[0]).st_ino
    for fd in ends: os.close(fd)
    return found
def send(bit): digit(number, 8, bit, number)
def look(): return number() >> 8 & 1
""",
        apart="numbers",
        open=NUMBERED,
    ),
)
