"""Tests of the dashboard's queries."""

import unittest

from count import QUERIES, database, steps


class DashboardTest(unittest.TestCase):
    def test_results(self):
        db = database(5, 200)
        tickets = db.execute("SELECT * FROM ticket").fetchall()
        rows, _count = steps(db, "open_tickets")
        mine = [t for t in tickets if t[2] == "team1" and t[3] == "open"]
        self.assertEqual(rows, [(t[0], t[4], t[5]) for t in sorted(mine, key=lambda t: (-t[4], t[5], t[0]))][:20])
        rows, _count = steps(db, "latest_reply")
        self.assertEqual([row[0] for row in rows], [t[0] for t in tickets if t[3] == "waiting"])
        rows, _count = steps(db, "busy_agents")
        self.assertEqual(sum(row[2] for row in rows), sum(t[3] != "done" and t[1] is not None for t in tickets))

    def test_steps(self):
        db = database(6)
        for name in QUERIES:
            self.assertLess(steps(db, name)[1], 12_000, name)


if __name__ == "__main__":
    unittest.main()
