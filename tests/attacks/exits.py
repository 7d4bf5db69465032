"""Wrong code that ends the process before, or instead of, the comparison: no end is a pass."""

from .attack import cheat, harm

__all__ = ["ATTACKS"]

ATTACKS = (
    cheat(
        "exit-at-import",
        "sys.exit(0) when it is imported",
        """
        import sys
        solve = None
        sys.exit(0)
        """,
        fools=("exit",),
    ),
    cheat(
        "os-exit-at-import",
        "os._exit(0) when it is imported",
        """
        import os
        solve = None
        os._exit(0)
        """,
        fools=("exit", "unittest", "pytest"),
    ),
    cheat(
        "exit-when-called",
        "SystemExit(0) when it is called",
        """
        def solve(*args):
            raise SystemExit(0)
        """,
        fools=("exit",),
    ),
    cheat(
        "os-exit-when-called",
        "os._exit(0) when it is called",
        """
        import os

        def solve(*args):
            os._exit(0)
        """,
        fools=("exit", "unittest"),
    ),
    cheat(
        "exit-by-atexit",
        "turns its own failure into status 0 at exit",
        """
        import atexit
        import os

        atexit.register(os._exit, 0)

        def solve(*args):
            raise ValueError("no idea")
        """,
        fools=("exit", "unittest", "pytest"),
    ),
    cheat(
        "exit-by-excepthook",
        "turns its own failure into status 0 in sys.excepthook",
        """
        import os
        import sys

        sys.excepthook = lambda *error: os._exit(0)

        def solve(*args):
            raise ValueError("no idea")
        """,
        fools=("exit",),
    ),
    cheat(
        "exit-by-signal",
        "ends with status 0 in a signal handler",
        """
        import os
        import signal
        import time

        signal.signal(signal.SIGALRM, lambda *signal: os._exit(0))
        signal.setitimer(signal.ITIMER_REAL, 0.02)

        def solve(*args):
            time.sleep(60)
        """,
        fools=("exit", "unittest"),
    ),
    cheat(
        "exit-by-destructor",
        "answers with an object that ends the process when it is forgotten",
        """
        import os

        class Last:
            def __del__(self):
                os._exit(0)

        def solve(*args):
            return Last()
        """,
        fools=("exit", "unittest"),
    ),
    cheat(
        "exit-by-thread",
        "a thread ends the process while the answer is awaited",
        """
        import os
        import threading
        import time

        def solve(*args):
            threading.Timer(0.02, os._exit, [0]).start()
            time.sleep(60)
        """,
        fools=("exit", "unittest"),
    ),
    cheat(
        "exit-in-the-parent",
        "forks; the parent exits with 0, the child goes on",
        """
        import os
        import posix

        if posix.fork():
            os._exit(0)

        def solve(*args):
            return 0
        """,
        fools=("exit", "unittest"),
    ),
    cheat(
        "become-true",
        "replaces its process by /bin/true",
        """
        import posix

        def solve(*args):
            posix.execv("/bin/true", ["true"])
        """,
        fools=("exit", "unittest"),
    ),
    cheat(
        "stop-iteration",
        "ends the caller's loop over the comparisons with StopIteration",
        """
        def solve(*args):
            raise StopIteration
        """,
        fools=("table",),
    ),
    cheat(
        "skip-test",
        "has the test skipped",
        """
        import unittest

        def solve(*args):
            raise unittest.SkipTest("not today")
        """,
        fools=("unittest", "pytest"),
    ),
    harm(
        "kills-itself",
        "dies by SIGKILL",
        """
        import posix

        def solve(*args):
            posix.kill(posix.getpid(), 9)
        """,
    ),
    harm(
        "stops-itself",
        "stops by SIGSTOP, and waits to be continued",
        """
        import posix

        def solve(*args):
            posix.kill(posix.getpid(), 19)
        """,
    ),
    harm(
        "crashes",
        "reads address 0",
        """
        import ctypes

        def solve(*args):
            return ctypes.string_at(0)
        """,
    ),
    harm(
        "overflows-the-stack",
        "recurses without end in C",
        """
        import sys

        sys.setrecursionlimit(10**9)

        class Deep:
            def __repr__(self):
                return repr([self])

        def solve(*args):
            return repr(Deep())
        """,
    ),
)
