"""Tests of the stub: some uses that are right, and some that are wrong."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RIGHT = """
from typing import assert_type
from tinyq import Stream, read, stream
assert_type(stream(1, 2).map(str), Stream[str])
assert_type(read("x"), str)
assert_type(stream("a", "b").first(), str)
"""
WRONG = """
from tinyq import stream
stream(1, 2).map(len)
stream(1, 2).nothing()
"""


class StubsTest(unittest.TestCase):
    def errors(self, text: str) -> list[int]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "use.py")
            path.write_text(text)
            words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", str(path)]
            done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "MYPYPATH": "stubs"})
        return [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line]

    def test_right(self):
        self.assertEqual(self.errors(RIGHT), [])

    def test_wrong(self):
        self.assertEqual(sorted(set(self.errors(WRONG))), [3, 4])


if __name__ == "__main__":
    unittest.main()
