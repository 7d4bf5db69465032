"""Tests of rules.js."""

import json
import subprocess
import unittest

SCRIPT = "const { problems, lastDay } = require('./rules.js'); console.log(JSON.stringify(%s));"
RIGHT = {
    "name": "Ada",
    "plate": "ka-px 123",
    "zone": "A",
    "start": "2026-03-20",
    "weeks": "6",
    "email": "",
    "terms": True,
}


def said(code):
    """What an expression gives."""
    done = subprocess.run(["node", "-e", SCRIPT % code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def problems(**other):
    return said(f"problems({json.dumps(RIGHT | other)}, '2026-03-14')")


class RulesTest(unittest.TestCase):
    def test_right(self):
        self.assertEqual(problems(), [])

    def test_empty(self):
        wrong = problems(name=" ", zone="", terms=False)
        self.assertEqual(wrong, [["name", "Enter a name"], ["zone", "Choose a zone"], ["terms", "Accept the terms"]])

    def test_plates(self):
        for plate in ("ABC", "123", "A1B2C3D4E"):
            self.assertEqual(problems(plate=plate), [["plate", "Enter a plate such as KA-PX 123"]])

    def test_days(self):
        self.assertEqual(problems(start="14.3.2026"), [["start", "Enter a day such as 2026-03-14"]])
        self.assertEqual(problems(start="2026-03-13"), [["start", "Enter a day from 2026-03-14 to 2026-05-13"]])

    def test_weeks(self):
        self.assertEqual(problems(weeks="5", zone="B"), [["weeks", "Enter a number from 1 to 4"]])
        self.assertEqual(problems(weeks="2.5"), [["weeks", "Enter a number from 1 to 52"]])

    def test_email(self):
        self.assertEqual(problems(email="ada"), [["email", "Enter an address such as ada@example.org"]])

    def test_last_day(self):
        self.assertEqual(said("lastDay('2026-03-14', 1)"), "2026-03-20")


if __name__ == "__main__":
    unittest.main()
