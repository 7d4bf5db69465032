"""Tests of query.sql."""

import sqlite3
import unittest
from pathlib import Path


def sessions(*events):
    """Rows of the query over these events."""
    db = sqlite3.connect(":memory:")
    db.executescript(Path("schema.sql").read_text())
    db.executemany("INSERT INTO event VALUES (?, ?, ?, ?)", events)
    return db.execute(Path("query.sql").read_text()).fetchall()


class SessionsTest(unittest.TestCase):
    def test_a_pause_of_half_an_hour(self):
        events = [("ada", 5000, "view", "/a"), ("ada", 6800, "view", "/b"), ("ada", 8601, "view", "/b")]
        self.assertEqual(
            sessions(*events),
            [("ada", 1, 5000, 0, 1, "timeout"), ("ada", 2, 6800, 0, 1, "timeout"), ("ada", 3, 8601, 0, 1, "timeout")],
        )

    def test_logout(self):
        events = [("ben", 10, "view", "/a"), ("ben", 20, "logout", None), ("ben", 30, "view", "/a")]
        self.assertEqual(sessions(*events), [("ben", 1, 10, 10, 1, "logout"), ("ben", 2, 30, 0, 1, "timeout")])

    def test_users_are_apart(self):
        events = [("b", 2, "view", None), ("a", 1, "click", "/x"), ("a", 1, "ping", None)]
        self.assertEqual(sessions(*events), [("a", 1, 1, 0, 0, "timeout"), ("b", 1, 2, 0, 0, "timeout")])


if __name__ == "__main__":
    unittest.main()
