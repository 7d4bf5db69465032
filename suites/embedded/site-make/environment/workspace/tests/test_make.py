"""Tests of the Makefile, each in a copy of the site."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path


class MakeTest(unittest.TestCase):
    def setUp(self):
        self.site = Path(tempfile.mkdtemp(), "site")
        self.addCleanup(shutil.rmtree, self.site.parent)
        shutil.copytree(".", self.site, ignore=shutil.ignore_patterns("out"))
        for path in [*self.site.rglob("*"), self.site]:
            os.utime(path, (1000, 1000))

    def make(self, *words):
        """Runs make; gives what the tools were run for."""
        log = self.site / "log"
        log.unlink(missing_ok=True)
        subprocess.run(
            ["make", *words], cwd=self.site, env={**os.environ, "LOG": "log"}, check=True, capture_output=True
        )
        return sorted(log.read_text().splitlines()) if log.exists() else []

    def test_everything_once(self):
        pages = ["page pages/first.txt", "page pages/second.txt"]
        self.assertEqual(self.make(), ["index pages/first.txt pages/second.txt", *pages])
        self.assertEqual(self.make(), [])

    def test_header(self):
        self.make()
        later = (4_000_000_000, 4_000_000_000)
        os.utime(self.site / "parts/header.html", later)
        self.assertEqual(self.make(), ["page pages/first.txt", "page pages/second.txt"])

    def test_check(self):
        self.assertIn("check out", self.make("check"))


if __name__ == "__main__":
    unittest.main()
