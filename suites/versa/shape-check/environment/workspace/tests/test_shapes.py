"""Tests of shapes."""

import unittest

from shapes import ShapeError, Shapes


class ShapesTest(unittest.TestCase):
    def test_the_example(self):
        shapes = Shapes(
            {"host": "{name: text(1..), port?: int(1..65535)}", "site": "{hosts: [host](1..3), mode: 'on' | 'off'}"}
        )
        value = {"hosts": [{"name": "a", "port": 0}, {}], "mode": "on", "x": 1}
        self.assertEqual(
            shapes.faults("site", value),
            [(".hosts[0].port", "bounds"), (".hosts[1].name", "missing"), (".x", "unknown")],
        )
        self.assertTrue(shapes.fits("site", {"hosts": [{"name": "a"}], "mode": "off"}))

    def test_either(self):
        shapes = Shapes({"a": "null | [int] | text(..3)"})
        faults = [shapes.faults("a", value) for value in (None, [1], "abcd", [1, "x"], 1.5)]
        self.assertEqual(faults, [[], [], [("", "bounds")], [("[1]", "kind")], [("", "none")]])

    def test_other_keys(self):
        shapes = Shapes({"a": "{'my key': 5, *: bool}"})
        self.assertEqual(shapes.faults("a", {"my key": 6, "b": 0}), [("['my key']", "value"), (".b", "kind")])

    def test_errors(self):
        for texts in ({"a": "["}, {"a": "b"}, {"a": "a | null"}):
            with self.assertRaises(ShapeError):
                Shapes(texts)


if __name__ == "__main__":
    unittest.main()
