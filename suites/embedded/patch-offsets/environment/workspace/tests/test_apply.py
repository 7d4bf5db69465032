"""Tests of applying patches."""

import unittest

from patcher import PatchError, apply_patch

SECTION = "[server]\nport = 80\ntls = off\n\n"

ONE_HUNK = """\
--- a/site.conf
+++ b/site.conf
@@ -5,3 +5,3 @@
 [server]
-port = 80
+port = 81
 tls = off
"""

TWO_HUNKS = """\
--- a/site.conf
+++ b/site.conf
@@ -1,3 +1,5 @@
 [server]
+name = first
+root = /srv
 port = 80
 tls = off
@@ -9,3 +11,3 @@
 [server]
 port = 80
-tls = off
+tls = on
"""


class ApplyTest(unittest.TestCase):
    def test_one_hunk_among_equal_sections(self):
        self.assertEqual(apply_patch(SECTION * 3, ONE_HUNK), SECTION + SECTION.replace("80", "81") + SECTION)

    def test_two_hunks_among_equal_sections(self):
        first = "[server]\nname = first\nroot = /srv\nport = 80\ntls = off\n\n"
        expected = first + SECTION + SECTION.replace("off", "on") + SECTION
        self.assertEqual(apply_patch(SECTION * 4, TWO_HUNKS), expected)

    def test_undone(self):
        changed = SECTION + SECTION.replace("80", "81") + SECTION
        self.assertEqual(apply_patch(changed, ONE_HUNK, reverse=True), SECTION * 3)

    def test_moved_hunk(self):
        self.assertEqual(
            apply_patch("# new\n# top\n" + SECTION, ONE_HUNK), "# new\n# top\n" + SECTION.replace("80", "81")
        )

    def test_hunk_that_fits_nowhere(self):
        with self.assertRaisesRegex(PatchError, "hunk 1 does not fit"):
            apply_patch("[client]\n", ONE_HUNK)


if __name__ == "__main__":
    unittest.main()
