"""Says whether answers.json has the right form."""

import json
import unittest
from pathlib import Path

from kiosk.play import WORKERS

SCHEDULES = ("oversold", "lost", "stuck", "report")


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.answers = json.loads(Path("answers.json").read_text())

    def test_keys(self):
        self.assertEqual(set(self.answers), {*SCHEDULES, "finals", "claims"})
        self.assertEqual(set(self.answers["claims"]), set("abcde"))

    def test_schedules(self):
        claims = [claim for claim in self.answers["claims"].values() if claim != "holds"]
        for schedule in (*(self.answers[key] for key in SCHEDULES), *claims):
            self.assertLessEqual(len(schedule), 40)
            self.assertTrue(set(schedule) <= set(WORKERS))

    def test_finals(self):
        self.assertEqual(self.answers["finals"], sorted(self.answers["finals"]))
        self.assertTrue(all(len(pair) == 2 for pair in self.answers["finals"]))


if __name__ == "__main__":
    unittest.main()
