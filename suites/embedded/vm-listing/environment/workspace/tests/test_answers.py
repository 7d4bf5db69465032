"""Says whether answers.json has the right form."""

import json
import unittest
from pathlib import Path


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.answers = json.loads(Path("answers.json").read_text())

    def test_keys(self):
        keys = {"printed_1", "printed_2", "steps_2", "deepest_2", "cells_2", "six", "unsummed", "lines", "fault"}
        self.assertEqual(set(self.answers), keys)

    def test_types(self):
        for key in ("printed_1", "printed_2", "lines", "fault"):
            self.assertTrue(all(type(number) is int for number in self.answers[key]), key)
        for key in ("steps_2", "deepest_2", "six", "unsummed"):
            self.assertIs(type(self.answers[key]), int, key)
        self.assertEqual(sorted(self.answers["cells_2"]), ["c0", "c1", "c2", "c3"])


if __name__ == "__main__":
    unittest.main()
