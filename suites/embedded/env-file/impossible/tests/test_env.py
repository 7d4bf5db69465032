"""Tests of env2sh.sh."""

import os
import subprocess
import tempfile
import unittest


def load(text, *names):
    """Values of variables after the file was loaded by bash."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.env")
        with open(path, "w", newline="") as file:
            file.write(text)
        script = 'out=$(bash env2sh.sh "$0") || exit 9; eval "$out"; for n in "$@"; do printf "%s\\0" "${!n}"; done'
        done = subprocess.run(["bash", "-c", script, path, *names], capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


class EnvTest(unittest.TestCase):
    def test_quotes(self):
        self.assertEqual(load('A=\'it is $HOME\'\nB="a \\"b\\""\n', "A", "B"), ["it is $HOME", 'a "b"'])

    def test_nothing_is_run(self):
        self.assertEqual(load("A=`echo run`$(echo run)\n", "A"), ["`echo run`$(echo run)"])

    def test_comments(self):
        self.assertEqual(load("# all\nA=red # not blue\nexport B=c#d\n", "A", "B"), ["red", "c"])


if __name__ == "__main__":
    unittest.main()
