"""Tests of names.js."""

import json
import subprocess
import unittest

SCRIPT = """
const { wrongName } = require('./names.js');
console.log(JSON.stringify(wrongName(['Harbour', 'Ferry', 'Two gulls'], 'Ferry', process.argv[1])));
"""


def wrong(name):
    """What is wrong with a new name for the ferry."""
    done = subprocess.run(["node", "-e", SCRIPT, name], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class NamesTest(unittest.TestCase):
    def test_right(self):
        for name in ("Ferry", " ferry 2 ", "x" * 40):
            self.assertEqual(wrong(name), "")

    def test_empty(self):
        self.assertEqual(wrong(" "), "Enter a name")

    def test_long(self):
        self.assertEqual(wrong("x" * 41), "Use at most 40 characters")

    def test_characters(self):
        self.assertEqual(wrong("a:b/c"), "Do not use :")

    def test_taken(self):
        self.assertEqual(wrong("two GULLS"), "There is a photo Two gulls already")


if __name__ == "__main__":
    unittest.main()
