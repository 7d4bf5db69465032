"""Says whether answers.json has the right form."""

import json
import unittest
from pathlib import Path

KEYS = {"heavier", "drop", "orders", "exact", "far", "floor", "stamps", "claims"}
REQUEST = {"parcel", "code", "extras", "stamps"}


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.answers = json.loads(Path("answers.json").read_text())

    def test_keys(self):
        self.assertEqual(set(self.answers), KEYS)
        self.assertEqual(set(self.answers["claims"]), set("abcdefg"))

    def test_requests(self):
        claims = [claim for claim in self.answers["claims"].values() if claim != "holds"]
        requests = [self.answers["exact"], *self.answers["orders"]]
        for claim in claims:
            requests += claim if isinstance(claim, list) else [claim]
        for request in requests:
            self.assertEqual(set(request), REQUEST)
            self.assertEqual([type(number) for number in request["parcel"]], [int] * 4)
            self.assertRegex(request["code"], "^[0-9]{5}$")
            self.assertIsInstance(request["stamps"], int)
            self.assertTrue(all(isinstance(name, str) for name in request["extras"]))

    def test_others(self):
        self.assertEqual([len(parcel) for parcel in self.answers["heavier"]], [4, 4])
        self.assertIsInstance(self.answers["drop"], int)
        self.assertIsInstance(self.answers["stamps"], int)
        self.assertRegex(self.answers["far"], "^[0-9]{5}$")
        self.assertEqual(self.answers["floor"], sorted(self.answers["floor"]))


if __name__ == "__main__":
    unittest.main()
