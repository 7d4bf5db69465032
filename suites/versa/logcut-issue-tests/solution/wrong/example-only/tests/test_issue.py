"""Tests of the issue."""

import io
import tempfile
import unittest
from pathlib import Path

import logcut

LOG = "2026-01-05T10:00:00Z error a\n  b\n2026-01-05T10:01:00Z info c\n  d\n"


class IssueTest(unittest.TestCase):
    def cut(self, *options):
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.log"
            path.write_text(LOG)
            status = logcut.main([*options, str(path)], out)
        return status, out.getvalue()

    def test_level(self):
        self.assertEqual(self.cut("--level", "error"), (0, "2026-01-05T10:00:00Z error a\n  b\n"))

    def test_since(self):
        self.assertEqual(self.cut("--since", "2026-01-05T10:01:00Z"), (0, "2026-01-05T10:01:00Z info c\n  d\n"))

    def test_until(self):
        self.assertEqual(self.cut("--until", "2026-01-05T10:01:00Z"), (0, "2026-01-05T10:00:00Z error a\n  b\n"))

    def test_all(self):
        self.assertEqual(self.cut(), (0, LOG))


if __name__ == "__main__":
    unittest.main()
