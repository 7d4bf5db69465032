"""Tests of loan.bc."""

import subprocess
import unittest


def bc(*expressions):
    """Lines that bc prints for these expressions."""
    text = "".join(line + "\n" for line in expressions)
    done = subprocess.run(["bc", "-q", "loan.bc"], input=text, capture_output=True, text=True, check=True)
    return (done.stdout + done.stderr).splitlines()


class LoanTest(unittest.TestCase):
    def test_rounding(self):
        self.assertEqual(bc("r(5, 2)", "r(7, 2)", "r(-5, 2)", "r(8, 3)"), ["3", "4", "-3", "3"])

    def test_schedule(self):
        lines = ["1 417 40000 60417", "2 252 40000 20669", "3 86 20755 0", "0"]
        self.assertEqual(bc("s(100000, 500, 40000)"), lines)

    def test_instalment(self):
        self.assertEqual(bc("m(100000, 500, 3)", "n(100000, 500, 40000)", "n(100000, 500, 417)"), ["33612", "3", "-1"])


if __name__ == "__main__":
    unittest.main()
