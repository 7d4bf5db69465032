"""Says whether answers.json has the right form."""

import json
import unittest
from pathlib import Path

from depot.desk import VERBS

LISTS = ("generator", "missing", "keyword", "keyword_verbs", "case", "unreached", "queue", "sticker")
TEXTS = ("negative", "crash")


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.answers = json.loads(Path("answers.json").read_text())

    def test_keys(self):
        self.assertEqual(set(self.answers), {*LISTS, *TEXTS, "empty"})

    def test_lists(self):
        for key in LISTS:
            self.assertTrue(all(isinstance(text, str) for text in self.answers[key]), key)
        for key in LISTS[:6]:
            self.assertEqual(len(set(self.answers[key])), len(self.answers[key]), key)
        for key in ("missing", "keyword_verbs", "case"):
            self.assertLessEqual(set(self.answers[key]), set(VERBS), key)

    def test_texts(self):
        self.assertTrue(all(isinstance(self.answers[key], str) for key in TEXTS))
        self.assertEqual(set(self.answers["empty"]), {"shelf", "share", "newest", "pairs"})


if __name__ == "__main__":
    unittest.main()
