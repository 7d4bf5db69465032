"""Says whether answers.json has the right form."""

import json
import unittest
from pathlib import Path

LISTS = {"only_old": 3, "only_new": 2, "order": 3}
TEXTS = ("greater", "less", "crash", "negative")


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.answers = json.loads(Path("answers.json").read_text())

    def test_keys(self):
        self.assertEqual(set(self.answers), {*LISTS, *TEXTS})

    def test_texts(self):
        for key, size in LISTS.items():
            self.assertEqual(len(self.answers[key]), size, key)
        for text in [self.answers[key] for key in TEXTS] + [text for key in LISTS for text in self.answers[key]]:
            self.assertIsInstance(text, str)
            self.assertLessEqual(len(text), 12)
            self.assertTrue(text.isascii() and text.isprintable(), text)


if __name__ == "__main__":
    unittest.main()
