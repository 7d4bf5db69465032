"""Tests of ring.c."""

import subprocess
import tempfile
import unittest


class RingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = folder.name + "/driver"
        flags = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
        subprocess.run(["gcc", *flags, "-o", self.program, "tests/driver.c", "ring.c"], check=True, capture_output=True)

    def held(self, size, *words):
        return subprocess.run([self.program, str(size), *words], check=True, capture_output=True, text=True).stdout

    def test_everything_fits(self):
        self.assertEqual(self.held(21, "one", "two", "six"), "0 0 0 | one two six")

    def test_the_oldest_are_dropped(self):
        self.assertEqual(self.held(20, "one", "two", "three"), "0 0 1 | two three")
        self.assertEqual(self.held(20, "one", "two", "three", "sixteen-letters!"), "0 0 1 2 | sixteen-letters!")

    def test_too_long(self):
        self.assertEqual(self.held(9, "one", "three3"), "0 -1 | one")


if __name__ == "__main__":
    unittest.main()
