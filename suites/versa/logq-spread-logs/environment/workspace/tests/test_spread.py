"""Tests for the issue: numbers that depend on how lines are spread over logs."""

import unittest

from logq import Log, search

LINES = """\
2026-03-01T10:00:00Z svc=api took=10ms host=a
2026-03-01T10:00:01Z svc=api took=20ms host=b
2026-03-01T10:00:02Z svc=api took=90ms host=a
""".splitlines()


class SpreadTest(unittest.TestCase):
    def test_average(self):
        for cut in range(4):
            self.assertEqual(search("| avg took", Log(LINES[:cut]), Log(LINES[cut:])), [{"avg": "40"}])

    def test_limit(self):
        self.assertEqual(search("| limit 2 | count", Log(LINES[:1]), Log(LINES[1:])), [{"count": "2"}])


if __name__ == "__main__":
    unittest.main()
