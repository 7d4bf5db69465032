"""Some of what the clinic does."""

import unittest
from datetime import date

from clinic import Patient, Visit, bill, due, letter


class ClinicTest(unittest.TestCase):
    def setUp(self):
        self.ann = Patient("Ann", date(1980, 5, 1), insured=True)
        Visit(self.ann, date(2026, 1, 10), "lab", 50)
        Visit(self.ann, date(2026, 1, 2), "check")

    def test_fees(self):
        self.assertEqual([visit.fee() for visit in self.ann.visits], [600, 800])
        self.assertEqual(self.ann.balance(), 1400)

    def test_bill(self):
        self.assertEqual(bill(self.ann), ["2026-01-02 check 8.00", "2026-01-10 lab 6.00", "balance 14.00"])

    def test_due(self):
        self.assertEqual(due(self.ann, date(2026, 2, 1)), 1)
        self.assertTrue(self.ann.is_late(date(2026, 2, 1)))
        self.ann.paid = 800
        self.assertEqual(due(self.ann, date(2026, 2, 8)), 0)

    def test_letter(self):
        self.assertIsNone(letter(self.ann, date(2026, 1, 20)))
        self.assertTrue(letter(self.ann, date(2026, 2, 1)).startswith("Dear Ann, this is reminder 1.\n2026-01-02"))
        self.assertIsNone(letter(self.ann, date(2026, 2, 1)))


if __name__ == "__main__":
    unittest.main()
