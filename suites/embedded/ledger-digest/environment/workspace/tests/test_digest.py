"""Tests of digest.pl."""

import subprocess
import unittest

BOOKINGS = """\
# bookings
2024-03-09;Office: paper;-12,50;two boxes; paid cash
2024-03-10; Rent ;-1.200
2023-12-31;Office: paper;-0,05;
2024-04-01;Sales;+2.400,5;x
"""


def digest(text, *options):
    """Status, lines and complaints."""
    done = subprocess.run(["perl", "digest.pl", *options], input=text, capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


class DigestTest(unittest.TestCase):
    def test_everything(self):
        lines = [
            "Sales                    1     2.400,50",
            "Office: paper            2       -12,55",
            "Rent                     1    -1.200,00",
            "",
            "2023-12 -0,05",
            "2024-03 -1.212,50",
            "2024-04 2.400,50",
        ]
        self.assertEqual(digest(BOOKINGS), (0, lines, []))

    def test_one_year(self):
        lines = ["Office: paper            1        -0,05", "", "2023-12 -0,05"]
        self.assertEqual(digest(BOOKINGS, "--year", "2023"), (0, lines, []))

    def test_what_is_no_booking(self):
        self.assertEqual(digest("2024-03-09;x\n"), (1, [""], ["-:1: not a booking"]))


if __name__ == "__main__":
    unittest.main()
