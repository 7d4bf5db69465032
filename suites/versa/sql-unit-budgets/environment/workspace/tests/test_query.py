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
            ("works", 0, 100, 430, 3),
            ("works/foundry", 1, 30, 330, 2),
            ("works/foundry/moulds", 2, 300, 300, 2),
            ("works/paint", 1, 0, 0, 0),
        ])
