"""Tests of moves.js."""

import json
import subprocess
import unittest

SCRIPT = """
globalThis.window = {};
require('./data.js');
const { arranged, moved } = require('./moves.js');
const { COLUMNS, CARDS } = window;
console.log(JSON.stringify(%s));
"""
BEGIN = {"wait": ["r1", "r2", "r4"], "stand": ["r3"], "done": []}


def said(code):
    """What an expression gives."""
    done = subprocess.run(["node", "-e", SCRIPT % code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def moved(*to):
    return said(f"moved(COLUMNS, {json.dumps(BEGIN)}, ...{json.dumps(to)})")


class MovesTest(unittest.TestCase):
    def test_begin(self):
        self.assertEqual(said("arranged(COLUMNS, CARDS, null)"), BEGIN)
        self.assertEqual(said("arranged(COLUMNS, CARDS, 'x')"), BEGIN)

    def test_stored(self):
        stored = "arranged(COLUMNS, CARDS, '{\"done\": [\"r4\", \"r0\"], \"stand\": [\"r1\"]}')"
        self.assertEqual(said(stored), {"wait": ["r2"], "stand": ["r1", "r3"], "done": ["r4"]})

    def test_moved(self):
        self.assertEqual(moved("r1", "wait", 1), {"wait": ["r2", "r1", "r4"], "stand": ["r3"], "done": []})
        self.assertEqual(moved("r1", "stand", 0), {"wait": ["r2", "r4"], "stand": ["r1", "r3"], "done": []})
        self.assertEqual(moved("r1", "done", 9), {"wait": ["r2", "r4"], "stand": ["r3"], "done": ["r1"]})


if __name__ == "__main__":
    unittest.main()
