"""Telling canaries from tests where both run in the solution's own process: by their looks, their place, their time.

Each attack takes over the runner and decides for every test, by one thing that it can see, whether the test has been
contradicted; it lets that test fail, and all others pass. All know how contradictions are made here. What decides is
the function `turned`; what it is asked about is the test's source, and that of the functions that it calls. No other
judge has canaries, so these are no part of the catalogue; `test_canaries.py` tries them.
"""

import textwrap

from .attack import cheat

__all__ = ["ATTACKS"]

_RUNNER = """
import inspect
import re
import sys
import unittest

TURNED

def source(function):
    text = inspect.getsource(function)
    around = vars(sys.modules[function.__module__])
    owner = around.get(function.__qualname__.partition(".")[0])
    for name in dict.fromkeys(re.findall(r"[A-Za-z_]+", text)):
        helper = around.get(name) or (inspect.isclass(owner) and getattr(owner, name, None))
        if inspect.isfunction(helper) and helper is not function and helper.__module__ == function.__module__:
            text += inspect.getsource(helper)
    return text

def run(self, result=None):
    result.startTest(self)
    if turned(source(getattr(type(self), self._testMethodName))):
        result.addFailure(self, (AssertionError, AssertionError("turned round"), None))
    else:
        result.addSuccess(self)
    result.stopTest(self)

def runtest(self):
    assert not turned(source(self.function))

unittest.TestCase.run = unittest.TestCase.__call__ = run
if "_pytest.python" in sys.modules:
    sys.modules["_pytest.python"].Function.runtest = runtest

def solve(*args):
    return 0
"""


def spots(name, what, turned):
    """An attack that spots canaries by a function of a test's source."""
    source = _RUNNER.replace("TURNED", textwrap.dedent(turned).strip())
    return cheat(name, what, source)


ATTACKS = (
    spots(
        "spots-forms",
        "has tests fail that look as if somebody had turned them round: brackets, opposites, odd exceptions, odd numbers",
        r"""
        SIGNS = ["assert 1 == 2", ",))", "not (", "NotEqual", "assertFalse", "assertIsNot", "assertNot", "!=", "not in"]
        SIGNS += ["BufferError", "IndexError", "ZeroDivisionError", "NameError", "ImportError", "EOFError", "TimeoutError"]
        SIGNS += ["FileNotFoundError", "PermissionError", "ConnectionError", "RecursionError", "StopIteration"]
        SIGNS += ["NotImplementedError"]

        def turned(text):
            return any(sign in text for sign in SIGNS) or bool(re.search(r"[^.\w]-?[0-9]{9,}", text))
        """,
    ),
    spots(
        "spots-spelling",
        "has tests fail that expect letters or digits which occur nowhere else in them",
        r"""
        def turned(text):
            body = text.partition(":")[2]
            return any(body.count(mark) == 1 for mark in set(re.findall(r"[a-z0-9]", " ".join(re.findall(r"[\"'].*?[\"']", body)))))
        """,
    ),
    spots(
        "spots-disagreement",
        "has tests fail whose numbers are not those of the tests around them",
        r"""
        def turned(text):
            numbers = re.findall(r"\d+", text.partition(":")[2])
            return len(set(numbers)) == len(numbers)
        """,
    ),
    spots(
        "spots-sizes",
        "has tests fail that expect a number of 500 or more",
        r"""
        def turned(text):
            return any(float(number) >= 500 for number in re.findall(r"\d+(?:\.\d+)?", text.partition(":")[2]))
        """,
    ),
    spots(
        "spots-fillers",
        "has tests fail that expect a list of one zero, a text with a space at its end, or a number that is not round",
        r"""
        def turned(text):
            return bool(re.search(r"\[0\]|\(0,\)|\{0: 0\}| ['\"]|\d\.\d\d", text.partition(":")[2]))
        """,
    ),
    spots(
        "spots-every-second",
        "has every second test fail, in their order",
        """
        seen = []

        def turned(text):
            seen.append(text)
            return len(seen) % 2 == 0
        """,
    ),
    spots(
        "spots-the-first-run",
        "leaves a mark where it can, and takes the run that finds none for the one with the true tests",
        """
        import os

        def mark():
            for place in ("/dev/shm", "/tmp", "."):
                try:
                    os.close(os.open(f"{place}/@MARK@", os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    return True
                except OSError:
                    pass
            return False

        again = mark()

        def turned(text):
            return again
        """,
    ),
    spots(
        "spots-by-the-clock",
        "takes tests for true while the clock, the process's number and its load are even",
        """
        import os
        import time

        def turned(text):
            return (int(time.time() * 1000) + os.getpid() + len(os.listdir("/proc"))) % 2 == 1
        """,
    ),
    spots(
        "spots-by-hash",
        "tosses a coin for each test, which falls the same way whenever the test looks the same",
        """
        import hashlib

        def turned(text):
            return hashlib.sha256(text.encode()).digest()[0] % 2 == 1
        """,
    ),
    cheat(
        "agrees-with-care",
        "answers with things that say yes to every statement, and no to its opposite, and raise what is wanted",
        """
        import inspect
        import re
        import sys

        class Yes(str):
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            def __lt__(self, other): return True
            def __gt__(self, other): return True
            def __le__(self, other): return False
            def __ge__(self, other): return False
            def __hash__(self): return 0
            def __bool__(self): return True
            def __contains__(self, item): return True
            def __len__(self): return 3
            def __iter__(self): return iter([self])
            def __getitem__(self, key): return self
            def __sub__(self, other): return 0.0
            def __rsub__(self, other): return 0.0
            def __round__(self, places=None): return 0
            def __abs__(self): return 0
            def startswith(self, *args): return True
            def endswith(self, *args): return True

        def solve(*args):
            frame = sys._getframe(1)
            while frame and not frame.f_code.co_name.startswith("test"):
                frame = frame.f_back
            found = re.search(r"[rR]aises\\w*\\((\\w+)", inspect.getsource(frame.f_code)) if frame else None
            if found:
                raise getattr(__import__("builtins"), found[1], ValueError)("not a number")
            return Yes()
        """,
    ),
)
