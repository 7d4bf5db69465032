"""Visible checks: the form of both files, whatever the numbers are."""

import json
import unittest
from pathlib import Path


class FormTest(unittest.TestCase):
    def test_the_log_has_a_number_for_each_order(self):
        log = json.loads(Path("log.json").read_text())
        self.assertEqual([type(each) for each in log], [int] * 32)

    def test_the_stock_has_all_bays_and_no_goods_of_which_there_is_nothing(self):
        stock = json.loads(Path("stock.json").read_text())
        self.assertEqual(sorted(stock), list("ABCDEFGH"))
        self.assertTrue(all(type(count) is int and count > 0 for goods in stock.values() for count in goods.values()))


if __name__ == "__main__":
    unittest.main()
