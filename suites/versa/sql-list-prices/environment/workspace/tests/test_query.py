"""Whether query.sql gives what example.sql asks for; run with python3 -m unittest."""

import pathlib
import sqlite3
import unittest


class QueryTest(unittest.TestCase):
    def test_example(self):
        db = sqlite3.connect(":memory:")
        for name in ("schema.sql", "example.sql"):
            db.executescript(pathlib.Path(name).read_text())
        found = db.execute(pathlib.Path("query.sql").read_text()).fetchall()
        self.assertEqual(found, [
            ("2025-01", "garden", 0, 0),
            ("2025-01", "kitchen", 1, 5800),
            ("2025-02", "garden", 0, 0),
            ("2025-02", "kitchen", 0, 0),
            ("2025-03", "garden", 1, 4500),
            ("2025-03", "kitchen", 1, 3000),
        ])
