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
        self.assertEqual(found, [("a", 1, 0, 50, None), ("b", 3, 601, 100, 601)])
