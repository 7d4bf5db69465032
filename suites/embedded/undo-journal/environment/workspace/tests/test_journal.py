"""Tests of the journal."""

import unittest

from draft.journal import InTransaction, Journal, NoTransaction


class JournalTest(unittest.TestCase):
    def test_undo_and_redo(self):
        journal = Journal()
        journal.set("a", 1)
        journal.set("a", 2)
        self.assertEqual(journal.undo(), ["a"])
        self.assertEqual(journal.get("a"), 1)
        self.assertEqual(journal.redo(), ["a"])
        self.assertIsNone(journal.redo())
        self.assertEqual(journal.get("a"), 2)

    def test_transactions(self):
        journal = Journal()
        journal.begin()
        journal.set("a", 1)
        journal.begin()
        journal.set("b", 2)
        journal.rollback()
        journal.set("c", 3)
        with self.assertRaises(InTransaction):
            journal.undo()
        journal.commit()
        self.assertEqual(journal.names(), ["a", "c"])
        self.assertEqual(journal.undo(), ["a", "c"])
        self.assertEqual(journal.names(), [])
        with self.assertRaises(NoTransaction):
            journal.commit()


if __name__ == "__main__":
    unittest.main()
