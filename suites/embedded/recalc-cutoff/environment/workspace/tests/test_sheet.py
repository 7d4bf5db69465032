"""Tests of the sheet."""

import unittest

from model import Cycle, Sheet


class SheetTest(unittest.TestCase):
    def setUp(self):
        self.calls = []
        self.sheet = Sheet()
        self.sheet.set("a", 3)
        self.sheet.define("parity", ["a"], lambda a: self.note("parity", a % 2))
        self.sheet.define("text", ["parity"], lambda p: self.note("text", "odd" if p else "even"))

    def note(self, name, value):
        self.calls.append(name)
        return value

    def test_values(self):
        self.assertEqual(self.sheet.get("text"), "odd")
        self.sheet.set("a", 4)
        self.assertEqual(self.sheet.get("text"), "even")

    def test_calls(self):
        self.sheet.get("text")
        self.sheet.get("text")
        self.sheet.set("a", 5)
        self.sheet.get("text")
        self.assertEqual(self.calls, ["parity", "text", "parity"])

    def test_cycle(self):
        with self.assertRaises(Cycle):
            self.sheet.define("a", ["text"], len)


if __name__ == "__main__":
    unittest.main()
