"""Says whether answers.json has the right form."""

import json
import unittest
from pathlib import Path


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.answers = json.loads(Path("answers.json").read_text())

    def test_numbers(self):
        for key in ("period", "first_drop", "late"):
            self.assertIs(type(self.answers[key]), int, key)
        for key in ("never", "midpoint"):
            self.assertTrue(all(type(number) is int for number in self.answers[key]), key)
        self.assertEqual(sorted(self.answers["shifts"]), list("0123456789"))

    def test_texts(self):
        self.assertEqual([len(text) for text in self.answers["twins"]], [3, 3])

    def test_keys(self):
        keys = {"period", "never", "first_drop", "twins", "late", "midpoint", "shifts"}
        self.assertEqual(set(self.answers), keys)


if __name__ == "__main__":
    unittest.main()
