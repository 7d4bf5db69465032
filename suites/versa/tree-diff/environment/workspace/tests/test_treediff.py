"""Tests of treediff.sh."""

import hashlib
import subprocess
import tempfile
import unittest
from pathlib import Path


def listed(**contents):
    return "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in contents.items())


class TreeDiffTest(unittest.TestCase):
    def compared(self, old, new):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("old", old), ("new", new)):
                Path(folder, name).write_text(text)
            command = ["sh", "treediff.sh", f"{folder}/old", f"{folder}/new"]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_changes(self):
        old = listed(b="1", a="2", gone="3", same="4")
        new = listed(same="4", a="5", b="1", fresh="6")
        self.assertEqual(self.compared(old, new), (1, ["M a", "A fresh", "D gone", "A 1, D 1, M 1, R 0"]))

    def test_renamed(self):
        self.assertEqual(
            self.compared(listed(b="1", **{"my old file": "2"}), listed(b="1", **{"my file": "2"})),
            (1, ["R my old file => my file", "A 0, D 0, M 0, R 1"]),
        )

    def test_nothing_changed(self):
        self.assertEqual(self.compared(listed(a="1"), listed(a="1")), (0, ["A 0, D 0, M 0, R 0"]))

    def test_what_is_no_list(self):
        self.assertEqual(self.compared("hello\n", listed(a="1")), (2, []))


if __name__ == "__main__":
    unittest.main()
