"""Tests of the issue that stack traces are gone: records of several lines, by README.md."""

import io
import tempfile
import unittest
from pathlib import Path

import logcut
from logcut.cut import _START

LOG = """\
loading
2026-01-05T10:00:00Z error first
Traceback:
  File "a"

2026-01-05T10:00:30Z no level
ValueError: x
2026-01-05T10:01:00Z info second
  indented
plain
2026-01-05T10:02:00Z error third
  last
"""
FIRST = LOG[LOG.index("2026-01-05T10:00:00Z") : LOG.index("2026-01-05T10:01:00Z")]
SECOND = LOG[LOG.index("2026-01-05T10:01:00Z") : LOG.index("2026-01-05T10:02:00Z")]
THIRD = LOG[LOG.index("2026-01-05T10:02:00Z") :]


class IssueTest(unittest.TestCase):
    def cut(self, *options, logs=(LOG,)):
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, log in enumerate(logs):
                paths.append(str(Path(folder) / f"{number}.log"))
                Path(paths[-1]).write_text(log)
            status = logcut.main([*options, *paths], out)
        return status, out.getvalue()

    def test_level(self):
        self.assertEqual(self.cut("--level", "error"), (0, FIRST + THIRD))
        self.assertEqual(self.cut("--level", "info"), (0, FIRST + SECOND + THIRD))

    def test_times(self):
        self.assertEqual(self.cut("--since", "2026-01-05T10:01:00Z"), (0, SECOND + THIRD))
        self.assertEqual(self.cut("--until", "2026-01-05T10:01:00Z"), (0, FIRST))
        self.assertEqual(self.cut("--since", "2026-01-05T10:00:01Z", "--until", "2026-01-05T10:02:00Z"), (0, SECOND))
        self.assertEqual(self.cut("--since", "2026-01-05T10:00:01Z", "--level", "error"), (0, THIRD))

    def test_no_options(self):
        self.assertEqual(self.cut(), (0, LOG))
        self.assertEqual(self.cut(logs=("a\nb\n", "c\n")), (1, "a\nb\nc\n"))
        self.assertEqual(self.cut(logs=(LOG, "c\n")), (0, LOG + "c\n"))

    def test_several_files(self):
        logs = (LOG, "  of no record\n2026-01-05T09:00:00Z debug x\nx\n2026-01-05T09:00:00Z error y\n", "z\n", LOG)
        wanted = FIRST + THIRD + "2026-01-05T09:00:00Z error y\n" + FIRST + THIRD
        self.assertEqual(self.cut("--level", "error", logs=logs), (0, wanted))

    def test_count(self):
        self.assertEqual(self.cut("--count"), (0, f"{sum(bool(_START.match(line)) for line in LOG.splitlines())}\n"))
        self.assertEqual(self.cut("--count", "--level", "error"), (0, "2\n"))
        self.assertEqual(self.cut("--count", logs=("a\n",)), (1, "0\n"))

    def test_nothing(self):
        log = "a\n2026-01-05T10:01:00Z info second\n  b\n"
        self.assertEqual(self.cut("--level", "error", logs=(log,)), (1, ""))
        self.assertEqual(self.cut("--since", "2027-01-05T10:01:00Z"), (1, ""))


if __name__ == "__main__":
    unittest.main()
