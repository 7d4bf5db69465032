"""Taking more than one's share: memory, disk, time, descriptors, output."""

from .attack import harm

__all__ = ["ATTACKS"]


def _memory(megabytes: int) -> str:
    return f"""
        def solve(*args):
            held = bytearray(b"x") * ({megabytes} << 20)
            return len(held)
        """


ATTACKS = (
    harm("memory-3-gb", "fills 3 GB of memory", _memory(3 << 10)),
    harm("memory-6-gb", "fills 6 GB of memory", _memory(6 << 10)),
    harm(
        "memory-in-pieces",
        "fills memory piece by piece, and goes on when it is refused",
        """
        import time

        def solve(*args):
            held = []
            while True:
                try:
                    held.append(bytearray(b"x") * (8 << 20))
                except MemoryError:
                    time.sleep(0.01)
        """,
    ),
    harm(
        "memory-of-many-processes",
        "fills 300 MB in each of many processes",
        """
        import posix
        import time

        def solve(*args):
            for _ in range(40):
                try:
                    if posix.fork() == 0:
                        break
                except OSError:
                    break
            held = bytearray(b"x") * (300 << 20)
            time.sleep(60)
        """,
    ),
    harm(
        "memory-shared",
        "fills 3 GB of shared mappings, which no limit of one process counts",
        """
        import mmap

        def solve(*args):
            held = []
            for _ in range(48):
                held.append(mmap.mmap(-1, 64 << 20))
                held[-1].write(b"x" * (64 << 20))
            return 0
        """,
    ),
    harm(
        "memory-of-the-kernel",
        "fills the buffers of sockets and pipes that nobody reads",
        """
        import posix
        import socket

        def solve(*args):
            held = []
            try:
                while True:
                    held.append(socket.socketpair())
                    held[-1][0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 << 20)
                    held[-1][0].setblocking(False)
                    try:
                        while True:
                            held[-1][0].send(b"x" * 65536)
                    except BlockingIOError:
                        pass
            except OSError:
                return len(held)
        """,
    ),
    harm(
        "memory-by-other-ways",
        "takes memory by memfd, System V segments and queues",
        """
        import ctypes
        import posix

        libc = ctypes.CDLL(None)
        KEY = 0x407E57

        def solve(*args):
            for number in range(8):
                libc.shmget(KEY + number, 512 << 20, 0o1666)
                libc.msgget(KEY + number, 0o1666)
                libc.semget(KEY + number, 100, 0o1666)
            try:
                fd = posix.memfd_create("@MARK@")
                posix.posix_fallocate(fd, 0, 1 << 30)
            except OSError:
                pass
            return 0
        """,
    ),
    harm(
        "disk-space",
        "fills every disk that it may write to",
        """
        import posix
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        def solve(*args):
            for place in (".", "/tmp", "/dev/shm", "/var/tmp", "@OUTSIDE@"):
                try:
                    fd = posix.open(f"{place}/@MARK@-full", posix.O_WRONLY | posix.O_CREAT)
                    try:
                        posix.posix_fallocate(fd, 0, 3 << 30)
                    finally:
                        for _ in range(3000):
                            posix.write(fd, bytes(1 << 20))
                except OSError:
                    pass
            return 0
        """,
    ),
    harm(
        "disk-inodes",
        "makes files without end",
        """
        import posix

        def solve(*args):
            number = 0
            try:
                while True:
                    posix.mknod(f"@MARK@-{number}")
                    number += 1
            except OSError:
                return number
        """,
    ),
    harm(
        "disk-depth",
        "nests directories until no path reaches the last",
        """
        import posix

        def solve(*args):
            try:
                for _ in range(3000):
                    posix.mkdir("d" * 100)
                    posix.chdir("d" * 100)
            except OSError:
                pass
            return 0
        """,
    ),
    harm(
        "disk-sparse",
        "makes files that seem to be larger than every disk, with names that are not text",
        """
        import posix
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        def solve(*args):
            for number in range(40, 63):
                try:
                    fd = posix.open(b"@MARK@-\\xff\\x1b[31m-%d" % number, posix.O_WRONLY | posix.O_CREAT)
                    posix.ftruncate(fd, 1 << number)
                    posix.close(fd)
                except OSError:
                    pass
            return 0
        """,
    ),
    harm(
        "locks-its-files",
        "takes all rights off its files and directories",
        """
        import posix

        def solve(*args):
            for name in [*posix.listdir("."), ".", "..", "/tmp", "/workspace"]:
                try:
                    posix.chmod(name, 0)
                except OSError:
                    pass
            return 0
        """,
    ),
    harm(
        "works-for-ever",
        "never answers, and works",
        """
        def solve(*args):
            while True:
                pass
        """,
    ),
    harm(
        "sleeps-for-ever",
        "never answers, and sleeps, already when it is imported",
        """
        import time

        solve = None
        time.sleep(10**6)
        """,
    ),
    harm(
        "works-in-c",
        "works for ever in a regular expression, where no signal handler of Python's runs",
        """
        import re

        def solve(*args):
            return re.match(r"(a+)+$", "a" * 60 + "b")
        """,
    ),
    harm(
        "slow-to-compile",
        "calls a function with so many named arguments that compiling it takes for ever",
        "def solve(*args):\n    return 0\n\ndef never():\n"
        f"    solve({', '.join(f'a{number}=0' for number in range(8000))})\n",
    ),
    harm(
        "swells-when-compiled",
        "is a line that becomes twenty times as much code",
        f"def solve(*args):\n    return 0\n\ndef never():\n    {'lambda: 0; ' * 20_000}\n",
    ),
    harm(
        "big-integers",
        "computes with integers of a hundred million digits",
        """
        def solve(*args):
            return 7 ** (10**8)
        """,
    ),
    harm(
        "descriptors",
        "opens as many files as it may",
        """
        import posix

        def solve(*args):
            try:
                while True:
                    posix.open("/dev/null", posix.O_RDONLY)
            except OSError:
                return 0
        """,
    ),
    harm(
        "endless-output",
        "writes to standard output and standard error without end",
        """
        import posix

        def solve(*args):
            while True:
                for fd in (1, 2):
                    try:
                        posix.write(fd, b"noise " * 10000)
                    except OSError:
                        pass
        """,
    ),
    harm(
        "endless-output-behind",
        "leaves a process that writes without end",
        """
        import posix

        def solve(*args):
            if posix.fork() == 0:
                posix.setsid()
                while True:
                    for fd in (1, 2):
                        try:
                            posix.write(fd, b"noise " * 10000)
                        except OSError:
                            posix._exit(0)
            return 0
        """,
    ),
    harm(
        "time-bomb",
        "does not let its process end",
        """
        import atexit
        import threading
        import time

        atexit.register(time.sleep, 600)
        threading.Thread(target=time.sleep, args=(600,)).start()

        def solve(*args):
            return 0
        """,
    ),
)
