"""Tests of table.pl."""

import subprocess
import unittest
from pathlib import Path


def table(width, text):
    """Lines that the script prints."""
    done = subprocess.run(["perl", "table.pl", str(width)], input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


class TableTest(unittest.TestCase):
    def setUp(self):
        self.text = Path("sample.tsv").read_text()

    def test_wide(self):
        expected = [
            "host  | load | note",
            "------+------+--------------------",
            "alpha |  0.5 |",
            "beta  |   12 | disk is nearly full",
        ]
        self.assertEqual(table(80, self.text), expected)

    def test_narrow(self):
        expected = [
            "host  | load | note",
            "------+------+----------",
            "alpha |  0.5 |",
            "------+------+----------",
            "beta  |   12 | disk is",
            "      |      | nearly",
            "      |      | full",
        ]
        self.assertEqual(table(24, self.text), expected)


if __name__ == "__main__":
    unittest.main()
