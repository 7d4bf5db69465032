"""Tests of leaveout."""

import unittest

from leaveout import RuleError, Rules


class LeaveoutTest(unittest.TestCase):
    def test_the_example(self):
        rules = Rules("*.log\n!keep.log\n/build/\n")
        self.assertTrue(rules.ignored("a/b.log"))
        self.assertFalse(rules.ignored("a/keep.log"))
        self.assertEqual(rules.reason("build/x/y.c"), 3)
        self.assertIsNone(rules.reason("build"))
        self.assertEqual(rules.kept(["build/", "b.log", "src/build/a"]), ["src/build/a"])

    def test_segments(self):
        rules = Rules("# caches\na/**/z\n**/tmp/*\n")
        self.assertEqual(
            [rules.reason(path) for path in ("a/z", "a/b/c/z", "z", "x/tmp/y", "tmp")], [2, 2, None, 3, None]
        )
        self.assertEqual(rules.unused(["a/z"]), [3])

    def test_sets(self):
        rules = Rules("[a-c]?\n[!0-9]\n")
        self.assertEqual([rules.reason(path) for path in ("b1", "d1", "x", "7")], [1, None, 2, None])

    def test_errors(self):
        with self.assertRaises(RuleError) as caught:
            Rules("a\n[b\n")
        self.assertTrue(str(caught.exception).startswith("line 2:"))


if __name__ == "__main__":
    unittest.main()
