"""Some of what the time clock does."""

import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path

from punch.app import main


class PunchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "punch.log"
        os.environ["PUNCH_USER"] = "anna"

    def punch(self, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = main(["--file", str(self.file), *arguments])
        return status, out.getvalue()

    def test_in_and_out(self):
        self.assertEqual(self.punch("in", "web"), (0, ""))
        self.assertEqual(self.punch("in", "web"), (1, "already in web\n"))
        self.assertEqual(self.punch("out")[0], 0)
        self.assertEqual(self.punch("out"), (1, "not in\n"))
        self.assertRegex(self.file.read_text(), r"^\S+ anna in web\n\S+ anna out\n$")

    def test_report(self):
        self.file.write_text("2026-01-05T09:00 anna in web\n2026-01-05T12:00 anna out\nx\n")
        self.assertEqual(self.punch("report", "9999"), (0, "web 3:00\ntotal 3:00\nbad lines: 1\n"))

    def test_usage(self):
        self.assertEqual(self.punch("sleep")[0], 2)


if __name__ == "__main__":
    unittest.main()
