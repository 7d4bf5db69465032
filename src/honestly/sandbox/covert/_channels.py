"""The channels that are known here: for each, Python that writes a bit, and Python that reads one.

`bit` is what to send, and `turn` a number that sender and receiver share. The receiver leaves a number in `seen`, from
which the meter guesses the bit. What is refused raises, and then nothing is sent or seen.

Several resources are counters of the whole machine, of which a receiver does not know where they stood. So senders
count on until a digit of the counter is what they want to say, and receivers read that digit.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CovertChannel:
    """One way to pass a bit from one sample to a later one."""

    name: str
    send: str
    """Python that writes `bit`."""
    receive: str
    """Python that leaves a number in `seen`."""
    timing: bool = False
    """What is read is a duration or a point in time, which no wall can hide."""


_FILES = """
import glob, os
files = [path for name in ("pydoc", "tarfile", "mailbox", "pickletools", "_pydecimal", "turtle", "optparse", "cgitb")
         for path in glob.glob(os.path.dirname(os.__file__) + "/" + name + ".py")]
"""
_DROP = (
    _FILES
    + """
if bit:
    for path in files:
        fd = os.open(path, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
"""
)
_NUMBER = """
import os, socket
def number():
    try:
        ends = os.pipe()
    except OSError:
        try:
            ends = [end.detach() for end in socket.socketpair()]
        except OSError:
            ends = [os.dup(3)]
    found = os.fstat(ends[0]).st_ino
    for fd in ends:
        os.close(fd)
    return found
"""
_SCAN = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
def memory():
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
        for page in range(first, last, 4096):
            libc.write(fd, ctypes.c_void_p(page), ctypes.c_size_t(4096))
    size = os.lseek(fd, 0, os.SEEK_CUR)
    data = os.pread(fd, min(size, 1 << 26), 0)
    os.close(fd)
    os.unlink("scan")
    return data
"""
_FORKS = """
import os
def forks():
    for line in open("/proc/stat"):
        if line.startswith("processes"):
            return int(line.split()[1])
def one():
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)
"""

_THREADS = """
import os, threading
def number():
    one = threading.Thread(target=int)
    one.start()
    one.join()
    return max(one.native_id, os.getpid())
"""
_OWN_FILES = """
import os
def number():
    open("mine", "w").close()
    found = os.stat("mine").st_ino
    os.unlink("mine")
    return found
"""
_PACKETS = """
import socket
def number():
    for line in open("/proc/net/dev"):
        if "lo:" in line:
            return int(line.split()[2])
def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b".", ("127.0.0.1", 9))
"""
_IN_FLIGHT = """
import array, os, socket
wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, 3)
name = b"\\0honestly-%d" % turn
def send():
    wire.bind(name)
    os.write(3, b"0.0\\0".rjust(1024))  # as much as is read at once: what follows stays in flight
    wire.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [3]))])
def taken():
    try:
        wire.bind(name)
    except OSError as error:
        return error.errno == 98
    return False
"""
_MARK = "bytes([90, 113, 74, 120])"  # put together by whoever looks for it, since his own text is in his memory

CHANNELS = (
    CovertChannel(
        "numbers of processes and threads",
        _THREADS + "while number() >> 6 & 1 != bit: pass",
        _THREADS + "seen = number() >> 6 & 1",
    ),
    CovertChannel(
        "numbers of files",
        _OWN_FILES + "while number() >> 8 & 1 != bit: pass",
        _OWN_FILES + "seen = number() >> 8 & 1",
    ),
    CovertChannel(
        "files that are left",
        "for folder in ('.', '/tmp', '/dev/shm', '/var/tmp'):\n    if bit: open(folder + '/left', 'w').close()",
        "import os\nseen = sum(len(os.listdir(folder)) for folder in ('.', '/tmp', '/dev/shm'))",
    ),
    CovertChannel(
        "names of files in the keeper's memory",
        f"for at in range(300 * bit): open(({_MARK} * 9).decode() + f'{{turn}}-{{at}}', 'w').close()",
        f"{_SCAN}seen = memory().count({_MARK} + str(turn).encode())",
    ),
    CovertChannel(
        "exit status in the keeper's memory",
        "import os\nif bit: os._exit(119)",
        _SCAN + "seen = memory().count((119 << 8).to_bytes(4, 'little') + bytes(4))",
    ),
    CovertChannel(
        "pages of files dropped, asked of the kernel",
        _DROP,
        _FILES
        + "seen = 0\nfor path in files:\n    try:\n        os.preadv(os.open(path, 0), [bytearray(4096)], 0, 8)\n"
        "    except BlockingIOError:\n        seen += 1",
    ),
    CovertChannel(
        "pages of files dropped, seen by mincore",
        _DROP,
        _FILES + "import ctypes, mmap\nlibc, seen, mark = ctypes.CDLL(None), 0, ctypes.create_string_buffer(1)\n"
        "for path in files:\n    with open(path, 'rb') as file:\n"
        "        pages = mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)\n"
        "    place = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(pages)))\n"
        "    if libc.mincore(place, ctypes.c_size_t(4096), mark) == 0: seen += mark.raw[0] & 1",
    ),
    CovertChannel(
        "pages of files dropped, timed",
        _DROP,
        _FILES + "import time\nbegan = time.perf_counter()\nfor path in files: open(path, 'rb').read()\n"
        "seen = time.perf_counter() - began",
        timing=True,
    ),
    CovertChannel(
        "a file read for the first time, timed",
        "import glob\nfiles = sorted(glob.glob('/usr/share/*/*') + glob.glob('/usr/lib/*/*.so*'))\n"
        "if bit: open(files[turn * 7919 % len(files)], 'rb').read()",
        "import glob, time\nfiles = sorted(glob.glob('/usr/share/*/*') + glob.glob('/usr/lib/*/*.so*'))\n"
        "path = files[turn * 7919 % len(files)]\nbegan = time.perf_counter()\nsize = len(open(path, 'rb').read())\n"
        "seen = (time.perf_counter() - began) / (size + 4096)",
        timing=True,
    ),
    CovertChannel(
        "names that were looked up, timed",
        "import os\nfor at in range(400 * bit): os.path.exists(f'{os.__file__}-{turn}-{at}')",
        "import os, time\ndef spent(tail):\n    began = time.perf_counter()\n    for at in range(400):\n"
        "        os.path.exists(f'{os.__file__}-{turn}{tail}-{at}')\n    return time.perf_counter() - began\n"
        "spent('x')\nseen = spent('') / spent('y')",
        timing=True,
    ),
    CovertChannel(
        "numbers of pipes and sockets",
        _NUMBER + "while number() >> 14 & 1 != bit:\n    for _ in range(400): number()",
        _NUMBER + "seen = number() >> 14 & 1",
    ),
    CovertChannel(
        "names of sockets that are in flight",
        _IN_FLIGHT + "if bit: send()",
        _IN_FLIGHT + "seen = taken()",
    ),
    CovertChannel(
        "numbers of shared memory",
        "import mmap\ndef number():\n    shared = mmap.mmap(-1, 4096)\n    for line in open('/proc/self/maps'):\n"
        "        if '/dev/zero' in line: return int(line.split()[4])\nwhile number() >> 12 & 1 != bit:\n"
        "    for _ in range(300): mmap.mmap(-1, 4096)",
        "import mmap\nshared, seen = mmap.mmap(-1, 4096), 0\nfor line in open('/proc/self/maps'):\n"
        "    if '/dev/zero' in line: seen = int(line.split()[4]) >> 12 & 1",
    ),
    CovertChannel(
        "counters of the machine",
        _FORKS + "while forks() >> 7 & 1 != bit:\n    for _ in range(10): one()",
        _FORKS + "seen = forks() >> 7 & 1",
    ),
    CovertChannel(
        "numbers of process descriptors",
        _FORKS + "def number(): return os.fstat(os.pidfd_open(os.getpid())).st_ino\n"
        "while True:\n    one()\n    if (pid := os.fork()) == 0:\n        os._exit(number() >> 7 & 1)\n"
        "    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == bit: break",
        "import os\nseen = os.fstat(os.pidfd_open(os.getpid())).st_ino >> 7 & 1",
    ),
    CovertChannel(
        "times of devices",
        "import os\nif bit: os.utime('/dev/null')",
        "import os, time\nseen = min(time.time() - os.stat('/dev/null').st_mtime, 9.0)",
    ),
    CovertChannel(
        "counters of the network",
        _PACKETS + "while number() >> 4 & 1 != bit: send()",
        _PACKETS + "seen = number() >> 4 & 1",
    ),
    CovertChannel(
        "priority of all of a user's processes",
        "import os\nif bit: os.setpriority(os.PRIO_USER, 0, 7)",
        "import os\nseen = os.getpriority(os.PRIO_PROCESS, 0)",
    ),
    CovertChannel(
        "processors, limits, masks",
        "import os, resource\nif bit:\n    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))}); os.umask(0o77)\n"
        "    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
        "import os, resource\nseen = sum(os.sched_getaffinity(0)) + os.umask(0) + resource.getrlimit(4)[0] % 99",
    ),
    CovertChannel(
        "memory and load of the machine",
        "import ctypes, os\nbuffers = [bytearray(1 << 25) for _ in range(2 * bit)]",
        "import ctypes\nroom = (ctypes.c_ulong * 16)()\nif ctypes.CDLL(None).sysinfo(room): raise OSError\n"
        "seen = room[5] >> 20",
    ),
    CovertChannel(
        "the phase of the clock",
        "import time\nwhile (time.time() % 0.1 >= 0.05) != bit: pass",
        "import time\nseen = time.time() % 0.1 >= 0.05",
        timing=True,
    ),
)
"""Every channel that the meter tries."""
