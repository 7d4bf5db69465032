"""Tests of the report."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WANTED = """Shift log, 2025-03-14
by Ana Möller

Nørre Pier (7)
  2025-03-13 23:50Z  Jürgen: all quiet
  2025-03-14 06:00Z  Ana: pump 2 again, third time this week; the seal …
  crew: Ana, Jürgen

Yard (6)
  2025-03-14 05:00Z  Bo:
  crew: Bo
"""


class ReportTest(unittest.TestCase):
    def report(self, text: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.log").write_bytes(text.encode())
            env = {**os.environ, "SHIFTLOG_AUTHOR": "Ana Möller"}
            return subprocess.run([sys.executable, "-m", "shiftlog", folder], capture_output=True, env=env)

    def test_report(self):
        text = "1741932000; NP; Ana; pump 2 again, third time this week; the seal is worn\n"
        text += "1741909800;NP;Jürgen;all quiet\n\n1741928400;YD;Bo;\n"
        done = self.report(text)
        self.assertEqual(done.stdout.decode(), WANTED, done.stderr)

    def test_bad_line(self):
        done = self.report("1741932000;NP;Ana;x\nlater;NP;Ana;x\n")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"a.log:2", done.stderr)


if __name__ == "__main__":
    unittest.main()
