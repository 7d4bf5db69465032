"""Says whether answers.json has the right form."""

import json
import unittest
from pathlib import Path

from pages import play

STORIES = ("deep", "titles", "glued", "back")


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.answers = json.loads(Path("answers.json").read_text())

    def test_keys(self):
        self.assertEqual(set(self.answers), {*STORIES, "claims"})
        self.assertEqual(set(self.answers["claims"]), set("abcdef"))

    def test_stories(self):
        claims = [claim for claim in self.answers["claims"].values() if claim != "holds"]
        for story in (*(self.answers[key] for key in STORIES), *claims):
            self.assertLessEqual(len(story), 10)
            play(story)


if __name__ == "__main__":
    unittest.main()
