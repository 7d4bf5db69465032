"""Tests of constraints."""

import unittest

from pins import ConstraintError, allows, explain, newest


class AllowsTest(unittest.TestCase):
    def test_comparisons(self):
        self.assertTrue(allows(">=1.2, <2", "1.10.0"))
        self.assertFalse(allows(">=1.2, <2", "2.0"))
        self.assertFalse(allows("!=1.4.0", "1.4"))

    def test_tilde_pins_the_minor_version(self):
        self.assertTrue(allows("~1.2", "1.2.9"))
        self.assertTrue(allows("~1.2", "1.3.0"))

    def test_caret_and_wildcard(self):
        self.assertEqual([allows("^0.2.3", v) for v in ("0.2.3", "0.2.9", "0.3.0")], [True, True, False])
        self.assertTrue(allows("1.2.*", "1.2.7"))

    def test_pre_releases_must_be_asked_for(self):
        self.assertFalse(allows(">=1.0", "1.5.0-rc1"))
        self.assertTrue(allows(">=1.5.0-beta", "1.5.0-rc1"))

    def test_nonsense_is_refused(self):
        with self.assertRaisesRegex(ConstraintError, "not a version: 'one'"):
            allows(">=one", "1.0")


class OthersTest(unittest.TestCase):
    def test_explain_names_the_broken_clauses(self):
        self.assertEqual(explain(">=1.2, <2, !=1.4", "2.1"), ["<2"])

    def test_newest(self):
        self.assertEqual(newest("^1.2", ["1.2.0", "1.10.0", "1.9.3", "2.0.0", "latest"]), "1.10.0")


if __name__ == "__main__":
    unittest.main()
