"""Tests of gaps.awk."""

import subprocess
import unittest


def gaps(text, *options):
    """Lines that the program prints."""
    command = ["awk", *options, "-f", "gaps.awk"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


class GapsTest(unittest.TestCase):
    def test_the_sample(self):
        with open("sample.csv") as file:
            text = file.read()
        expected = ["gap bed1 60 240 2", "gap bed2 10 190 2", "total bed1 3 1 2", "total bed2 2 1 2"]
        self.assertEqual(gaps(text), expected)

    def test_another_interval(self):
        self.assertEqual(gaps("t,0,1\nt,10,1\nt,30,1\n", "-v", "every=10"), ["gap t 10 30 1", "total t 3 1 1"])

    def test_nothing(self):
        self.assertEqual(gaps(""), [])


if __name__ == "__main__":
    unittest.main()
