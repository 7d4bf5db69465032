"""Says whether answers.json has the right form."""

import json
import unittest
from dataclasses import fields
from pathlib import Path

from relay import Config

SETTINGS = {field.name for field in fields(Config)}


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.answers = json.loads(Path("answers.json").read_text())

    def test_keys(self):
        keys = {"config", "tries", "openers", "attempts", "rest", "lanes", "calm", "unfair"}
        self.assertEqual(set(self.answers), keys)
        self.assertEqual(set(self.answers["tries"]), {"m06", "m10", "m23", "m26"})

    def test_settings(self):
        for key in ("config", "calm"):
            self.assertEqual(set(self.answers[key]), SETTINGS)
            self.assertTrue(all(type(value) is int for value in self.answers[key].values()))

    def test_messages(self):
        self.assertLessEqual(len(self.answers["unfair"]), 3)
        for entry in self.answers["unfair"]:
            self.assertEqual([type(value) for value in entry], [str, int, str, int])


if __name__ == "__main__":
    unittest.main()
