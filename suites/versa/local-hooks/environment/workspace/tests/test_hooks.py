"""Tests of the hooks: by hand, and by pre-commit in a small repository."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path.cwd()


def call(*words, cwd=HERE):
    env = {**os.environ, "PRE_COMMIT_HOME": str(Path(tempfile.gettempdir()) / "pre-commit-home")}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=cwd, env=env)


class HooksTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return str(path)

    def test_trailing(self):
        path = self.file("a.txt", "one  \ntwo")
        self.assertEqual(call("hooks/trailing.py", path).returncode, 1)
        self.assertEqual(Path(path).read_text(), "one\ntwo\n")
        self.assertEqual(call("hooks/trailing.py", path).returncode, 0)

    def test_no_debug(self):
        path = self.file("a.py", "x = 1\nbreakpoint()\n")
        done = call("hooks/no_debug.py", path)
        self.assertEqual((done.returncode, done.stdout), (1, f"{path}:2\n"))

    def test_commit_message(self):
        self.assertEqual(call("hooks/commit_message.py", self.file("m", "AB-12: words\n")).returncode, 0)
        self.assertEqual(call("hooks/commit_message.py", self.file("m", "words\n")).returncode, 1)

    def test_all_by_pre_commit(self):
        shutil.copytree("hooks", self.folder / "hooks")
        shutil.copy(".pre-commit-config.yaml", self.folder)
        self.file("migrations/0001_start.sql", "select 1;\n")
        self.file("a.txt", "bad \n")
        subprocess.run("git init -q . && git add -A", shell=True, cwd=self.folder, check=True)
        done = call("-m", "pre_commit", "run", cwd=self.folder)
        self.assertEqual(done.returncode, 1, done)
        seen = {line.partition(".")[0]: line.rpartition(".")[2] for line in done.stdout.splitlines() if "..." in line}
        self.assertEqual(seen.get("trailing"), "Failed", done)
        self.assertEqual(seen.get("migrations"), "Passed", done)


if __name__ == "__main__":
    unittest.main()
