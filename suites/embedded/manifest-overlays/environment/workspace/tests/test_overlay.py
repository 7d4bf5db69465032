"""Tests of overlay.jq."""

import json
import subprocess
import unittest


def overlay(*layers):
    """What the program prints for these inputs, decoded."""
    text = "\n".join(map(json.dumps, layers))
    done = subprocess.run(["jq", "-n", "-f", "overlay.jq"], input=text, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class OverlayTest(unittest.TestCase):
    def test_objects(self):
        base = {"port": 80, "tls": {"on": False, "cert": "a.pem"}, "old": 1}
        self.assertEqual(
            overlay(base, {"tls": {"on": True}, "old": None}), {"port": 80, "tls": {"on": True, "cert": "a.pem"}}
        )

    def test_named_lists(self):
        base = {"jobs": [{"name": "a", "every": 5}, {"name": "b", "every": 9}, {"name": "c"}]}
        over = {"jobs": [{"name": "d"}, {"name": "a", "every": 1}, {"name": "b", "drop": True}]}
        self.assertEqual(overlay(base, over), {"jobs": [{"name": "a", "every": 1}, {"name": "c"}, {"name": "d"}]})

    def test_plain_lists(self):
        self.assertEqual(overlay({"hosts": [1, 2]}, {"hosts": [3]}), {"hosts": [3]})


if __name__ == "__main__":
    unittest.main()
