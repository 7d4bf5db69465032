"""Whether migrate.sql does what is asked with example.sql; run with python3 -m unittest."""

import pathlib
import sqlite3
import unittest


class MigrationTest(unittest.TestCase):
    def test_example(self):
        db = sqlite3.connect(":memory:")
        for name in ("schema.sql", "example.sql", "migrate.sql"):
            db.executescript(pathlib.Path(name).read_text())
        self.assertEqual(
            db.execute("SELECT * FROM customers").fetchall(), [(3, "ada@mill.example", "Ada Lamb", "2023-02-01")]
        )
        self.assertEqual(db.execute("SELECT * FROM merges ORDER BY 1").fetchall(), [(3, 3), (7, 3)])
        self.assertEqual(db.execute("SELECT * FROM orders ORDER BY 1").fetchall(), [(1, 3, 500), (5, 3, 0)])
        self.assertEqual(
            db.execute("SELECT * FROM rejected ORDER BY 1").fetchall(),
            [(2, "bad amount"), (3, "no email"), (4, "no client")],
        )
