"""Tests of spans."""

import unittest

from spans import SpanSet


class SpansTest(unittest.TestCase):
    def test_pairs(self):
        self.assertEqual(SpanSet([(5, 7), (1, 3), (3, 4)]).pairs(), ((1, 4), (5, 7)))
        self.assertEqual(SpanSet([(None, 2), (1, None)]).pairs(), ((None, None),))

    def test_text(self):
        self.assertEqual(SpanSet([(None, -2), (5, 6), (7, 9), (20, None)]).text(), "..-3,5,7..8,20..")
        self.assertEqual(SpanSet.parse(" 7..8, 5").pairs(), ((5, 6), (7, 9)))
        with self.assertRaises(ValueError):
            SpanSet.parse("5..3")

    def test_sets(self):
        one, two = SpanSet([(0, 10)]), SpanSet([(5, None)])
        self.assertEqual(one.intersection(two).pairs(), ((5, 10),))
        self.assertEqual(one.difference(two).pairs(), ((0, 5),))
        self.assertEqual(two.complement(), SpanSet([(None, 5)]))

    def test_members(self):
        one = SpanSet([(0, 3), (10, 12)])
        self.assertEqual((one.size(), one.after(3), one.nth(3), one.nth(-1)), (5, 10, 10, 11))
        self.assertEqual([block.text() for block in one.blocks(2)], ["0..1", "2,10", "11"])


if __name__ == "__main__":
    unittest.main()
