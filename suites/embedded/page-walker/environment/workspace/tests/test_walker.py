"""Tests of walker.js."""

import json
import subprocess
import unittest

SCRIPT = """
const {latest} = require('./walker.js');
const pages = {a: [[9, 7], [5, 3], [1]], b: [[8, 8], [2]]};
const asked = [];
let now = 0, most = 0;
async function fetchPage(feed, page) {
  asked.push(feed + page);
  most = Math.max(most, ++now);
  await new Promise((done) => setTimeout(done, 5));
  now--;
  return {entries: pages[feed][page].map((at) => ({at, feed})), more: page + 1 < pages[feed].length};
}
latest(['a', 'b'], %d, fetchPage, 2).then((entries) => {
  console.log(JSON.stringify([entries.map(({at, feed}) => at + feed), asked, most]));
});
"""


def latest(count):
    """Entries, requests, and how many were under way at the same time."""
    done = subprocess.run(["node", "-e", SCRIPT % count], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class WalkerTest(unittest.TestCase):
    def test_three(self):
        self.assertEqual(latest(3), [["9a", "8b", "8b"], ["a0", "b0", "a1"], 2])

    def test_five(self):
        self.assertEqual(latest(5), [["9a", "8b", "8b", "7a", "5a"], ["a0", "b0", "a1", "b1"], 2])


if __name__ == "__main__":
    unittest.main()
