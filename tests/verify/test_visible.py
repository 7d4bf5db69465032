"""Visible checks run in a fork of a warm interpreter, and end as in an interpreter that was started for them."""

import textwrap

import anyio
import pytest

from honestly.records import Checks, Tree
from honestly.sandbox import open_sandbox
from honestly.verify.inside._visible import run_visible

TESTS = """
    import unittest
    import work

    class Tests(unittest.TestCase):
        def test_a_first(self):
            self.assertEqual(work.answer(), 42)

        def test_b_second(self):
            self.assertTrue(work.other())

        def test_c_third(self):
            self.assertTrue(True)
"""
STARTS = {"calendar.txt": "named like a module of the library, which a fork might have imported already"}
OTHER = "def other(): return True\n"
ENDS = {
    "right": "def answer(): return 42\n",
    "wrong": "def answer(): return 41\n",
    "exit at import": "import sys\nsys.exit('enough')\n",
    "exit with status 0 in a test": "import os\ndef answer(): os._exit(0)\n",
    "crash": "import os, signal\ndef answer(): os.kill(os.getpid(), signal.SIGSEGV)\n",
    "interrupt": "import os, signal\ndef answer(): os.kill(os.getpid(), signal.SIGINT)\n",
    "broken pipe": "import os\ndef answer():\n    out, end = os.pipe()\n    os.close(out)\n"
    "    try:\n        os.write(end, b'x')\n    except BrokenPipeError:\n        return 42\n",
    "deep recursion": "def deep(n): return 42 if n == 0 else deep(n - 1)\ndef answer(): return deep(960)\n",
    "too deep a recursion": "def deep(n): return 42 if n == 0 else deep(n - 1)\ndef answer(): return deep(1000)\n",
    "lies on the runner's channel": "import os\ndef answer():\n    for fd in range(3, 20):\n        try:\n"
    "            os.write(fd, b'{}\\n')\n        except OSError:\n            pass\n    return 42\n",
    "words at exit": "import atexit, sys\natexit.register(print, 'the end', file=sys.stderr)\nraise KeyboardInterrupt\n",
    "subprocess": "import subprocess, sys\ndef answer():\n"
    "    return int(subprocess.run([sys.executable, '-c', 'print(42)'], capture_output=True).stdout)\n",
    "an endless loop": "def answer():\n    while True: pass\n",
    "a thread that stays": "import sys, threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n"
    "sys.exit()\n",
    "memory": "def answer(): return len(bytearray(1 << 40))\n",
}
PASS = {"right", "broken pipe", "deep recursion", "subprocess", "lies on the runner's channel"}


def visible(source, extra):
    files = Tree.of({"tests/__init__.py": "", "tests/test_work.py": textwrap.dedent(TESTS)})
    names = ("test_a_first", "test_b_second", "test_c_third")
    expected = tuple(f"tests.test_work.Tests.{name}" for name in names)
    checks = Checks(runner="unittest", files=files, expected=expected, timeout_s=3.0)
    return anyio.run(run_visible, checks, Tree.of({"work.py": source + OTHER, **extra}), open_sandbox)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDS)
def test_a_fork_ends_as_an_interpreter_does_that_was_started(name):
    forked, started = visible(ENDS[name], {}), visible(ENDS[name], STARTS)
    assert forked == started
    assert forked[0].passed == (name in PASS)
    assert bool(forked[1]) == (name == "lies on the runner's channel")


def test_a_module_of_the_workspace_takes_the_place_of_one_of_the_library():
    source = "import socket\ndef answer(): return socket.OURS\n"
    assert visible(source, {"socket.py": "OURS = 42\n"})[0].passed


def test_what_one_run_has_imported_the_next_one_has_not():
    spread = "import sys, json\nsys.modules['leak'] = json\njson.leak = True\ndef answer(): return 42\n"
    found = "import sys, json\ndef answer(): return 41 if 'leak' in sys.modules or hasattr(json, 'leak') else 42\n"
    assert visible(spread, {})[0].passed
    assert visible(found, {})[0].passed
