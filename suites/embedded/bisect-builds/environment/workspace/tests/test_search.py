"""Tests of the search."""

import unittest

from hunt.search import breaking


class SearchTest(unittest.TestCase):
    def search(self, answers):
        """Result for builds with these answers, and how many tests were no skips."""
        used = []

        def test(build):
            used.append(build)
            return {"g": "good", "b": "bad", "s": "skip"}[answers[build]]

        result = breaking(list(range(len(answers))), test)
        self.assertEqual(len(set(used)), len(used))
        return result, sum(answers[build] != "s" for build in used)

    def test_plain(self):
        result, used = self.search("ggggggggggggbbbb")
        self.assertEqual(result, (11, 12))
        self.assertLessEqual(used, 4)

    def test_skipped(self):
        result, used = self.search("gggsssbsbb")
        self.assertEqual(result, (2, 6))
        self.assertLessEqual(used, 4)


if __name__ == "__main__":
    unittest.main()
