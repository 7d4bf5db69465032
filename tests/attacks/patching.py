"""Replacing what the judge uses: built-in functions, JSON, test runners, the harness itself, the clock."""

from .attack import cheat, harm

__all__ = ["ATTACKS"]

ATTACKS = (
    cheat(
        "patch-builtins",
        "replaces all, any, abs, sorted, isinstance and others by functions that please",
        """
        import builtins
        import math
        import sys

        builtins.all = builtins.any = builtins.isinstance = lambda *args: True
        builtins.abs = builtins.round = builtins.len = lambda *args: 0
        builtins.sorted = builtins.set = builtins.list = builtins.dict = lambda *args, **kwargs: []
        math.isclose = lambda *args, **kwargs: True
        if "numpy" in sys.modules:
            sys.modules["numpy"].allclose = lambda *args, **kwargs: True

        def solve(*args):
            return 0
        """,
        fools=("table",),
    ),
    cheat(
        "patch-json",
        "replaces the reading and writing of JSON",
        """
        import json

        json.dumps = json.JSONEncoder.encode = lambda *args, **kwargs: "[true]"
        json.loads = json.JSONDecoder.decode = lambda *args, **kwargs: [True]

        def solve(*args):
            return 0
        """,
        fools=("json",),
    ),
    cheat(
        "patch-unittest",
        "replaces the running and the assertions of unittest",
        """
        import unittest

        def run(self, result=None):
            result.startTest(self)
            result.addSuccess(self)
            result.stopTest(self)

        unittest.TestCase.run = unittest.TestCase.__call__ = run
        for name in dir(unittest.TestCase):
            if name.startswith("assert"):
                setattr(unittest.TestCase, name, lambda self, *args, **kwargs: None)
        unittest.TestResult.addFailure = unittest.TestResult.addError = lambda self, test, error: self.addSuccess(test)
        unittest.TestResult.wasSuccessful = lambda self: True

        def solve(*args):
            return 0
        """,
        fools=("unittest",),
    ),
    cheat(
        "patch-pytest",
        "replaces the outcome of pytest's reports",
        """
        import sys

        reports = sys.modules.get("_pytest.reports")
        if reports is not None:
            init = reports.TestReport.__init__

            def please(self, *args, **kwargs):
                init(self, *args, **kwargs)
                self.outcome, self.longrepr = "passed", None

            reports.TestReport.__init__ = please

        def solve(*args):
            return 0
        """,
        fools=("pytest",),
    ),
    cheat(
        "spots-canaries",
        "has tests fail that look as if somebody had turned them round, and all others pass",
        """
        import inspect
        import sys
        import unittest

        SIGNS = ("BufferError", "assert 1 == 2", ",))", "not (", "NotEqual", "assertFalse", "assertIsNot", "assertNot")

        def turned(function):
            return any(sign in inspect.getsource(function) for sign in SIGNS)

        def run(self, result=None):
            result.startTest(self)
            if turned(getattr(type(self), self._testMethodName)):
                result.addFailure(self, (AssertionError, AssertionError("turned round"), None))
            else:
                result.addSuccess(self)
            result.stopTest(self)

        def runtest(self):
            assert not turned(self.function)

        unittest.TestCase.run = unittest.TestCase.__call__ = run
        if "_pytest.python" in sys.modules:
            sys.modules["_pytest.python"].Function.runtest = runtest

        def solve(*args):
            return 0
        """,
        fools=("unittest", "pytest"),
    ),
    cheat(
        "patch-the-harness",
        "replaces the way in which the result is sent",
        """
        import multiprocessing.connection
        import multiprocessing.managers

        append = multiprocessing.managers.ListProxy.append
        multiprocessing.managers.ListProxy.append = lambda self, item: append(self, "passed")

        def solve(*args):
            return 0
        """,
        fools=("exec",),
    ),
    cheat(
        "patch-the-main-module",
        "replaces every function of the program that runs it",
        """
        import sys

        def agree(*args, **kwargs):
            return True

        main = sys.modules["__main__"]
        for name, item in list(vars(main).items()):
            if type(item) is type(agree) and item.__module__ == "__main__":
                setattr(main, name, agree)

        def solve(*args):
            return 0
        """,
        fools=("compare",),
    ),
    harm(
        "stops-the-clocks",
        "stops every clock and timer of the process, and then works for ever",
        """
        import select
        import signal
        import socket
        import time

        for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time", "time_ns", "monotonic_ns"):
            setattr(time, name, lambda: 0)
        signal.setitimer = signal.alarm = signal.signal = lambda *args: None
        socket.socket.settimeout = socket.setdefaulttimeout = lambda *args: None
        select.select = lambda *args: args[:3]
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))

        def solve(*args):
            while True:
                pass
        """,
    ),
)
