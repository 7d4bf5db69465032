"""Examples of codes."""

import unittest

from tickets.codes import decode, encode, is_valid, repair
from tickets.errors import BadCode


class CodesTest(unittest.TestCase):
    def test_encode(self):
        self.assertEqual(encode(7), "222-229-L")
        self.assertEqual(encode(1234567), "23C-FNR-K")

    def test_numbers_out_of_range(self):
        for number in [-1, 31**6]:
            with self.assertRaises(ValueError):
                encode(number)

    def test_decode(self):
        self.assertEqual(decode("23C-FNR-K"), 1234567)
        self.assertEqual(decode(" 23cfnrk "), 1234567)

    def test_wrong_codes(self):
        for code in ["23C-FNR-L", "23C-FRN-K", "23C-FNR", "23C-FN0-K"]:
            self.assertFalse(is_valid(code))
            with self.assertRaises(BadCode):
                decode(code)

    def test_repair(self):
        self.assertEqual(repair("2?C-FNR-K"), "23C-FNR-K")


if __name__ == "__main__":
    unittest.main()
