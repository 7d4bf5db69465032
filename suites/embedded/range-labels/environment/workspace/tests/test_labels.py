"""Tests of the labels."""

import unittest

from marks import Labels


class LabelsTest(unittest.TestCase):
    def test_stretches(self):
        labels = Labels()
        labels.put(2, 5, "a")
        labels.put(5, 9, "a")
        labels.put(4, 6, "b")
        self.assertEqual(labels.stretches(), [(2, 4, "a"), (4, 6, "b"), (6, 9, "a")])
        self.assertEqual([labels.at(k) for k in (1, 2, 5, 8, 9)], [None, "a", "b", "a", None])

    def test_insertion(self):
        labels = Labels()
        labels.put(2, 5, "a")
        labels.insert(3, 2)
        labels.insert(7, 2)
        self.assertEqual(labels.stretches(), [(2, 7, "a")])

    def test_deletion(self):
        labels = Labels()
        labels.put(0, 4, "a")
        labels.put(6, 9, "a")
        labels.delete(3, 3)
        self.assertEqual(labels.stretches(), [(0, 6, "a")])


if __name__ == "__main__":
    unittest.main()
