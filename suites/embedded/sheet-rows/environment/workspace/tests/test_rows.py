"""Tests of sheets."""

import unittest

from sheet import Sheet


def small_sheet() -> Sheet:
    sheet = Sheet()
    for cell, source in {
        "A1": "Item",
        "A2": "tea",
        "B2": "4",
        "A3": "milk",
        "B3": "2",
        "A4": "bread",
        "B4": "5",
        "A5": "total",
        "B5": "=SUM(B2:B4)",
        "C2": "=B2 / B$5",
    }.items():
        sheet.set(cell, source)
    return sheet


class SheetTest(unittest.TestCase):
    def test_values(self):
        sheet = small_sheet()
        self.assertEqual((sheet.value("B5"), sheet.value("C2"), sheet.value("Z9")), (11, 4 / 11, None))
        sheet.set("B2", "=B5")
        self.assertEqual(sheet.value("B5"), "#CYCLE!")

    def test_names(self):
        sheet = small_sheet()
        sheet.define("Prices", "B2:B4")
        sheet.set("D1", '=MAX(prices) & " EUR"')
        self.assertEqual(sheet.value("D1"), "5 EUR")


class InsertTest(unittest.TestCase):
    def test_within_a_range(self):
        sheet = small_sheet()
        sheet.insert_rows(3, 2)
        self.assertEqual((sheet.get("B7"), sheet.get("C2"), sheet.get("A5")), ("=SUM(B2:B6)", "=B2 / B$7", "milk"))
        sheet.set("B3", "10")
        self.assertEqual(sheet.value("B7"), 21)

    def test_before_everything(self):
        sheet = small_sheet()
        sheet.insert_rows(1)
        self.assertEqual((sheet.get("B6"), sheet.get("A1"), sheet.get("A2")), ("=SUM(B3:B5)", "", "Item"))


class DeleteTest(unittest.TestCase):
    def test_within_a_range(self):
        sheet = small_sheet()
        sheet.delete_rows(3)
        self.assertEqual((sheet.get("B4"), sheet.value("B4")), ("=SUM(B2:B3)", 9))

    def test_lost_cell(self):
        sheet = small_sheet()
        sheet.delete_rows(5)
        self.assertEqual((sheet.get("C2"), sheet.value("C2")), ("=B2 / #REF!", "#REF!"))


if __name__ == "__main__":
    unittest.main()
