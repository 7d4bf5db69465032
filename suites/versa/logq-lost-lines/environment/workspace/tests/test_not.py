"""Tests for the issue: lines that are lost behind `not`."""

import unittest

from logq import Log, lines, search

LINES = """\
2026-03-01T10:00:00Z svc=api status=200
2026-03-01T10:00:01Z svc=cron
2026-03-01T10:00:02Z svc=api status=503
""".splitlines()


class NotTest(unittest.TestCase):
    def test_a_line_without_the_key(self):
        self.assertEqual(lines(search("not status >= 500", Log(LINES))), LINES[:2])

    def test_not_equal(self):
        self.assertEqual(lines(search("status != 200", Log(LINES))), LINES[2:])


if __name__ == "__main__":
    unittest.main()
