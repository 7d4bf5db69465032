"""Tests of book.cpp."""

import subprocess
import tempfile
import unittest


class BookTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.program = folder.name + "/book"
        flags = ["-std=c++17", "-Wall", "-Wextra"]
        subprocess.run(["g++", *flags, "-o", cls.program, "book.cpp"], check=True, capture_output=True)

    def said(self, *lines):
        text = "".join(line + "\n" for line in lines)
        done = subprocess.run([self.program], input=text, check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    def test_limits(self):
        self.assertEqual(
            self.said("limit a sell 5 100", "limit b sell 5 101", "limit c buy 7 101", "cancel b", "cancel b"),
            ["rest a 5", "rest b 5", "trade a c 5 100", "trade b c 2 101", "cancelled b 3", "reject b"],
        )

    def test_an_iceberg(self):
        self.assertEqual(
            self.said("iceberg a sell 10 100 4", "show", "limit b buy 6 100"),
            ["rest a 10", "sell 100 4 1", "end", "trade a b 4 100", "trade a b 2 100"],
        )

    def test_what_does_not_rest(self):
        self.assertEqual(
            self.said("limit a buy 5 90", "fok b sell 6 90", "ioc c sell 2 90", "market d sell 4"),
            ["rest a 5", "reject b", "trade a c 2 90", "trade a d 3 90", "drop d 1"],
        )

    def test_amend(self):
        self.assertEqual(
            self.said("limit a buy 5 90", "limit b buy 5 90", "amend a 4 90", "market c sell 1"),
            ["rest a 5", "rest b 5", "kept a 4", "trade a c 1 90"],
        )


if __name__ == "__main__":
    unittest.main()
