"""Tests of search.js, and of what the page must keep."""

import json
import subprocess
import unittest
from pathlib import Path

SCRIPT = """
globalThis.window = {};
require('./stations.js');
const { findStations } = require('./search.js');
console.log(JSON.stringify(findStations(window.STATIONS, process.argv[1]).map(one => one.code)));
"""


def codes(text):
    """The codes of the stations that fit a text."""
    done = subprocess.run(["node", "-e", SCRIPT, text], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class SearchTest(unittest.TestCase):
    def test_words(self):
        self.assertEqual(codes("gare"), ["PES", "SDE"])
        self.assertEqual(codes("ce"), ["REI"])
        self.assertEqual(codes("ance"), [])

    def test_accents_and_case(self):
        self.assertEqual(codes(" EP "), ["EPY", "EPL"])

    def test_names_that_begin_with_it_come_first(self):
        self.assertEqual(codes("saint-d"), ["SDI", "SDE"])

    def test_nothing(self):
        self.assertEqual(codes(" "), [])


class PageTest(unittest.TestCase):
    def test_what_stays(self):
        page = Path("index.html").read_text(encoding="utf-8")
        for part in ('id="station"', 'id="code"', 'role="status"', "Station</label>"):
            self.assertIn(part, page)


if __name__ == "__main__":
    unittest.main()
