"""Tests of runcard."""

import unittest
from datetime import timedelta

from runcard import CardError, dumps, loads

CARD = """\
# what the robot does
name = "Plate 7\\t(second)"
wait = 1h30m
[pump.left]          # a section
rate = 2.5
steps = [10, 20,     # lists may go over lines
         1_000]
steps += [0]
valve.open = yes
"""


class RuncardTest(unittest.TestCase):
    def test_the_example(self):
        pump = {"left": {"rate": 2.5, "steps": [10, 20, 1000, 0], "valve": {"open": True}}}
        card = {"name": "Plate 7\t(second)", "wait": timedelta(minutes=90), "pump": pump}
        self.assertEqual(loads(CARD), card)
        self.assertEqual(
            dumps(card),
            'name = "Plate 7\\t(second)"\nwait = 1h30m\n\n[pump.left]\nrate = 2.5\nsteps = [10, 20, 1000, 0]\n\n'
            "[pump.left.valve]\nopen = yes\n",
        )

    def test_texts(self):
        self.assertEqual(loads('a = "x # \\u{e9}\\\\"'), {"a": "x # é\\"})
        self.assertEqual(dumps({"a": 'say "é"\x01'}), 'a = "say \\"é\\"\\u{1}"\n')

    def test_errors(self):
        for text in ("a = 1\n\nb =\n", "[a]\nb = 1\n[a.b]\n", "a = [1,\n2]\n\na = [\n3]"):
            with self.assertRaises(CardError) as caught:
                loads(text)
            line = 4 if "3]" in text else 3
            self.assertTrue(str(caught.exception).startswith(f"line {line}:"))


if __name__ == "__main__":
    unittest.main()
