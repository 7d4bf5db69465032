"""Tests for the issue: values with backslashes and quotation marks."""

import unittest

from logq import Log, lines, search

LINE = r'2026-03-01T10:00:00Z path="C:\\new\\table" msg="say \"hi\""'


class RoundTripTest(unittest.TestCase):
    def test_read(self):
        (row,) = search("", Log([LINE]))
        self.assertEqual(row["path"], r"C:\new\table")
        self.assertEqual(row["msg"], 'say "hi"')

    def test_written(self):
        self.assertEqual(lines(search("", Log([LINE]))), [LINE])

    def test_found(self):
        self.assertEqual(len(search(r'path = "C:\\new\\table"', Log([LINE]))), 1)


if __name__ == "__main__":
    unittest.main()
