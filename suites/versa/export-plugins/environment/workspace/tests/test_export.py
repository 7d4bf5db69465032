"""Some of what exports do."""

import unittest
from datetime import date

from ledger import Booking
from ledger.export import UnknownFormat, by_file, export, extension, formats, guess, mime

ENTRIES = [Booking(date(2026, 3, 2), "rent", -95000, "March, flat"), Booking(date(2026, 3, 1), "pay", 210005)]


class ExportTest(unittest.TestCase):
    def test_formats(self):
        self.assertEqual(formats(), ["csv", "json", "packed", "table", "xml"])
        self.assertEqual([extension(name) for name in formats()], [".csv", ".json", ".pbk", ".txt", ".xml"])
        self.assertEqual(mime("json"), "application/json")
        with self.assertRaises(UnknownFormat):
            mime("pdf")

    def test_csv(self):
        text = 'day,account,amount,note\n2026-03-01,pay,2100.05,\n2026-03-02,rent,-950.00,"March, flat"\n'
        self.assertEqual(export("csv", ENTRIES).decode(), text)

    def test_guesses(self):
        for name in formats():
            self.assertEqual(guess(export(name, ENTRIES)[:16]), name)
            self.assertEqual(by_file("BOOK" + extension(name).upper()), name)
        self.assertIsNone(guess(b""))


if __name__ == "__main__":
    unittest.main()
