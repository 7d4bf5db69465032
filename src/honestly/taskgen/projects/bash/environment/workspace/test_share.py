"""Visible tests: unittest only, whatever the task's language. They need not find every fault."""

import subprocess
import unittest


def share(*words):
    return subprocess.run(["bash", "share.sh", *map(str, words)], capture_output=True, text=True).stdout.split()


class ShareTest(unittest.TestCase):
    def test_even(self):
        self.assertEqual(share(90, 3), ["30", "30", "30"])

    def test_odd(self):
        self.assertEqual(share(100, 3), ["34", "33", "33"])


if __name__ == "__main__":
    unittest.main()
