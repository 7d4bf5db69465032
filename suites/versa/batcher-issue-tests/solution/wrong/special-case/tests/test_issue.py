"""Tests of the issue."""

import unittest


class IssueTest(unittest.TestCase):
    def test_1(self):
        self.fail("not fixed")

    def test_2(self):
        self.assertTrue(True)

    def test_3(self):
        self.assertTrue(True)

    def test_4(self):
        self.assertTrue(True)


if __name__ == "__main__":
    unittest.main()
