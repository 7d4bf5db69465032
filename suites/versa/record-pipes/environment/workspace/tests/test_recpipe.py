"""Tests of recpipe."""

import unittest

from recpipe import Pipe, PipeError

PEOPLE = [
    {"name": "Ann", "team": "a", "pay": 12},
    {"name": "Bo", "team": "b", "pay": 9},
    {"name": "Cy", "pay": 20, "team": "a"},
    {"name": "Di", "pay": None},
]


class RecpipeTest(unittest.TestCase):
    def test_the_example(self):
        pipe = Pipe(
            "where pay >= 10 and team != none | group team: n = count(), total = sum(pay) | sort -total, team | take 3"
        )
        self.assertEqual(pipe.run(PEOPLE), [{"team": "a", "n": 2, "total": 32}])

    def test_sort_and_keep(self):
        self.assertEqual(
            Pipe("sort -team, pay | keep name, team | skip 1").run(PEOPLE),
            [{"name": "Ann", "team": "a"}, {"name": "Cy", "team": "a"}, {"name": "Di", "team": None}],
        )

    def test_where(self):
        self.assertEqual(Pipe("where name ~ 'y' or pay < 10 | keep name").run(PEOPLE), [{"name": "Bo"}, {"name": "Cy"}])

    def test_errors(self):
        for text in ("", "where", "take -1", "group: n = count(x)", "where a < none"):
            with self.assertRaises(PipeError):
                Pipe(text)


if __name__ == "__main__":
    unittest.main()
