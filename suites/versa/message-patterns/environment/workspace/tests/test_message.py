"""Tests of message.js."""

import json
import subprocess
import unittest

PROGRAM = """
const { compile } = require('./message.js');
const [pattern, values] = JSON.parse(require('fs').readFileSync(0, 'utf8'));
let said;
try { said = compile(pattern)(values); } catch (error) { said = error.name; }
console.log(JSON.stringify(said));
"""


class MessageTest(unittest.TestCase):
    def filled(self, pattern, **values):
        stdin = json.dumps([pattern, values])
        done = subprocess.run(["node", "-e", PROGRAM], input=stdin, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def test_values(self):
        self.assertEqual(
            self.filled("Dear {name}, it's {hour} o'clock", name="Ann", hour=5), "Dear Ann, it's 5 o'clock"
        )

    def test_plural(self):
        pattern = "{n, plural, =0 {no files} one {# file} other {# files}} in {folder}"
        self.assertEqual(self.filled(pattern, n=0, folder="a"), "no files in a")
        self.assertEqual(self.filled(pattern, n=1, folder="a"), "1 file in a")
        self.assertEqual(self.filled(pattern, n=2, folder="a"), "2 files in a")

    def test_select_in_plural(self):
        pattern = "{n, plural, offset:1 one {{who, select, you {You} other {{who}}} and # more} other {many}}"
        self.assertEqual(self.filled(pattern, n=2, who="you"), "You and 1 more")
        self.assertEqual(self.filled(pattern, n=2, who="Bo"), "Bo and 1 more")

    def test_errors(self):
        self.assertEqual(self.filled("{name"), "SyntaxError")
        self.assertEqual(self.filled("{name}"), "ReferenceError")


if __name__ == "__main__":
    unittest.main()
