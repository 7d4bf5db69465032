"""Tests of hub.js."""

import json
import subprocess
import unittest

SCRIPT = """
const Hub = require('./hub.js');
const hub = new Hub(), said = [];
const say = (word) => (value) => said.push(word + value);
%s
console.log(JSON.stringify(said));
"""


def said(code):
    """What a piece of code leaves in the list `said`."""
    done = subprocess.run(["node", "-e", SCRIPT % code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class HubTest(unittest.TestCase):
    def test_order(self):
        code = (
            "hub.on('a.b', say('x')); hub.on('a.*', say('y')); hub.on('a.b', say('z')); said.push(hub.emit('a.b', 1));"
        )
        self.assertEqual(said(code), ["y1", "x1", "z1", 3])

    def test_once(self):
        code = "hub.once('a', say('x')); hub.emit('a', 1); hub.emit('a', 2); said.push(hub.count('a'));"
        self.assertEqual(said(code), ["x1", 0])

    def test_off(self):
        code = "const f = say('f'); const drop = hub.on('a', f); hub.on('a', f); drop(); drop(); hub.emit('a', 1);"
        self.assertEqual(said(code), ["f1"])


if __name__ == "__main__":
    unittest.main()
