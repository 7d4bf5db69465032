"""Tests of outline.tcl."""

import subprocess
import unittest


def numbered(text, *styles):
    """Lines that the script prints."""
    done = subprocess.run(["tclsh", "outline.tcl", *styles], input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


class OutlineTest(unittest.TestCase):
    def test_the_sample(self):
        with open("sample.txt") as file:
            text = file.read()
        expected = ["1. Opening", "2. Budget", "  2.1. Travel", "  2.2. Rooms", "3. Any other business"]
        self.assertEqual(numbered(text), expected)

    def test_styles(self):
        self.assertEqual(numbered("x\n\ty\n\ty\nz\n", "A", "a"), ["A. x", "  A.a. y", "  A.b. y", "B. z"])

    def test_malformed(self):
        done = subprocess.run(["tclsh", "outline.tcl"], input="a\n    b\n  c\n", capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("line 3", done.stderr)


if __name__ == "__main__":
    unittest.main()
