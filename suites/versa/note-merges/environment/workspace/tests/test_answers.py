"""Says whether answers.json has the right form."""

import json
import unittest
from pathlib import Path

from notes.script import play


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.answers = json.loads(Path("answers.json").read_text())

    def test_keys(self):
        self.assertEqual(set(self.answers), {"late", "revive", "reach", "claims"})
        self.assertEqual(set(self.answers["claims"]), set("abcdefgh"))

    def test_stories(self):
        claims = [claim for claim in self.answers["claims"].values() if claim != "holds"]
        for story in (self.answers["late"], self.answers["revive"], self.answers["reach"], *claims):
            self.assertLessEqual(len(story), 12)
            self.assertTrue(set(play(story)) <= {"ann", "bob", "cyd"})
            self.assertTrue(all(step[2] in {"n1", "n2", "n3", "n4", "n5"} for step in story if step[1] != "receive"))


if __name__ == "__main__":
    unittest.main()
