"""Tests of the search box."""

import unittest

from archive import finds, parse


class QueryTest(unittest.TestCase):
    def check(self, text):
        self.assertIsInstance(finds(parse(text), {}), bool)

    def test_1(self):
        self.check("")

    def test_2(self):
        self.check("a b")

    def test_3(self):
        self.check('"a b"')

    def test_4(self):
        self.check("-a")

    def test_5(self):
        self.check("from:a")

    def test_6(self):
        self.check("a OR b")

    def test_7(self):
        self.check('"open')

    def test_8(self):
        self.check("OR")


if __name__ == "__main__":
    unittest.main()
