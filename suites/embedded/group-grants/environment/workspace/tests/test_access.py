"""Examples of rules, groups and answers."""

import unittest

from access.groups import Directory
from access.policy import Policy


class PolicyTest(unittest.TestCase):
    def setUp(self):
        self.directory = Directory()
        self.policy = Policy(self.directory)

    def test_users_and_groups(self):
        self.directory.add("@staff", "ann")
        self.policy.allow("@staff", "read", "/wiki")
        self.assertTrue(self.policy.is_allowed("ann", "read", "/wiki/start"))
        self.assertFalse(self.policy.is_allowed("ann", "write", "/wiki/start"))
        self.assertFalse(self.policy.is_allowed("bob", "read", "/wiki/start"))

    def test_paths_end_at_slashes(self):
        self.policy.allow("partner", "read", "/docs")
        self.assertTrue(self.policy.is_allowed("partner", "read", "/docs/"))
        self.assertFalse(self.policy.is_allowed("partner", "read", "/docs-internal"))

    def test_a_longer_path_decides(self):
        self.policy.allow("ann", "*", "/")
        self.policy.deny("ann", "write", "/etc")
        self.assertFalse(self.policy.is_allowed("ann", "write", "/etc/hosts"))
        self.assertTrue(self.policy.is_allowed("ann", "read", "/etc/hosts"))

    def test_denial_beats_permission(self):
        self.directory.add("@staff", "ann")
        self.policy.allow("@staff", "read", "/pay")
        self.policy.deny("ann", "read", "/pay")
        self.assertFalse(self.policy.is_allowed("ann", "read", "/pay"))

    def test_a_removed_member_loses_access(self):
        self.directory.add("@staff", "@team")
        self.directory.add("@team", "cleo")
        self.policy.allow("@staff", "read", "/wiki")
        self.assertTrue(self.policy.is_allowed("cleo", "read", "/wiki"))
        self.directory.remove("@team", "cleo")
        self.assertFalse(self.policy.is_allowed("cleo", "read", "/wiki"))


if __name__ == "__main__":
    unittest.main()
