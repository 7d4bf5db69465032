"""Says whether answers.json has the right form: all keys, values of the right kind, sources that exist."""

import json
import unittest
from pathlib import Path

KINDS = {
    "family": "whole number",
    "resident_van": "whole number",
    "cyclists": "whole number",
    "resident_march": "whole number",
    "bicycle_days": "whole number",
    "steepest": "text",
}


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.answers = json.loads(Path("answers.json").read_text(encoding="utf-8"))

    def test_keys(self):
        self.assertEqual(set(self.answers), set(KINDS))

    def test_values(self):
        for key, kind in KINDS.items():
            value = self.answers[key]["value"]
            if kind == "list of texts":
                self.assertIsInstance(value, list, key)
                self.assertTrue(value and all(isinstance(each, str) for each in value), key)
            elif kind == "text":
                self.assertIsInstance(value, str, key)
            else:
                self.assertIsInstance(value, int if kind == "whole number" else (int, float), key)

    def test_sources(self):
        for key, answer in self.answers.items():
            self.assertEqual(set(answer), {"value", "sources"}, key)
            sources = answer["sources"]
            self.assertTrue(isinstance(sources, list) and sources, key)
            self.assertEqual(len(sources), len(set(sources)), key)
            for source in sources:
                self.assertTrue((Path("papers") / source).is_file(), source)


if __name__ == "__main__":
    unittest.main()
