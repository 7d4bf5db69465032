"""Tests of searching."""

import unittest

from logq import BadLine, BadQuery, Log, explain, lines, search

LINES = """\
2026-03-01T10:00:00Z level=info svc=api took=12ms status=200
2026-03-01T10:00:01Z level=warn svc=web took=1.5s status=200 msg="slow answer"
2026-03-01T10:00:02Z level=error svc=api took=900ms status=500
2026-03-01T12:00:03+01:00 level=info svc=web took=3ms size=2kB retried=true
""".splitlines()


class SearchTest(unittest.TestCase):
    def setUp(self):
        self.log = Log(LINES)

    def found(self, query):
        return [LINES.index(line) for line in lines(search(query, self.log)) if line in LINES]

    def test_comparisons(self):
        self.assertEqual(self.found("level = info and status < 300"), [0])
        self.assertEqual(self.found("took > 800ms"), [1, 2])
        self.assertEqual(self.found("msg ~ low"), [1])
        self.assertEqual(self.found('msg = "slow answer" or status >= 500'), [1, 2])

    def test_times(self):
        self.assertEqual(self.found("time >= 2026-03-01T10:00:01Z and time < 2026-03-01T11:00:02+01:00"), [1])

    def test_stages(self):
        self.assertEqual(self.found("has status | sort -took | limit 2"), [1, 2])
        self.assertEqual(lines(search("| max took by svc", self.log)), ["svc=api max=900", "svc=web max=1500"])
        self.assertEqual(lines(search("| count", self.log)), ["count=4"])

    def test_a_flag_is_true(self):
        self.assertEqual(search("retried = true | fields retried, svc", self.log), [{"retried": "true", "svc": "web"}])

    def test_explain(self):
        wanted = "all(a = 1, time > 2026-03-01T10:00:00Z) from 2026-03-01T10:00:00+00:00 to ..."
        self.assertEqual(explain("a = 1 and time > 2026-03-01T10:00:00Z"), wanted)

    def test_errors(self):
        with self.assertRaises(BadQuery):
            search("level =", self.log)
        with self.assertRaises(BadLine):
            Log(["level=info"])


if __name__ == "__main__":
    unittest.main()
