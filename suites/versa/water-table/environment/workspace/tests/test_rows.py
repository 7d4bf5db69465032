"""Tests of rows.js."""

import json
import subprocess
import unittest

SCRIPT = """
globalThis.window = {};
require('./samples.js');
const { shown } = require('./rows.js');
console.log(JSON.stringify(shown(window.SAMPLES, ...JSON.parse(process.argv[1])).map(one => one.id)));
"""


def ids(words="", key="", down=False):
    """The ids of the samples that are shown."""
    asked = json.dumps([words, key, down])
    done = subprocess.run(["node", "-e", SCRIPT, asked], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class RowsTest(unittest.TestCase):
    def test_all(self):
        self.assertEqual(ids(), ["W-12", "W-3", "W-7", "w-1"])

    def test_words(self):
        self.assertEqual(ids("RAIN"), ["W-12", "w-1"])
        self.assertEqual(ids(" rain bil"), ["w-1"])
        self.assertEqual(ids("snow"), [])

    def test_numbers(self):
        self.assertEqual(ids(key="ph"), ["w-1", "W-12", "W-7", "W-3"])
        self.assertEqual(ids(key="ph", down=True), ["W-7", "W-12", "w-1", "W-3"])

    def test_texts(self):
        self.assertEqual(ids(key="river"), ["W-12", "w-1", "W-3", "W-7"])
        self.assertEqual(ids(key="river", down=True), ["W-3", "W-7", "w-1", "W-12"])


if __name__ == "__main__":
    unittest.main()
