"""Tests of the calendar; every line of the driver's input has three numbers."""

import subprocess
import tempfile
import unittest

SCRIPT = """
new 4 0 0
book 10 20 3
book 15 25 2
book 20 25 2
free 10 25 0
free 20 30 0
earliest 0 10 2
earliest 5 6 3
cancel 1 0 0
cancel 1 0 0
book 15 25 2
"""


class CalendarTest(unittest.TestCase):
    def test_a_day(self):
        with tempfile.TemporaryDirectory() as folder:
            flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-o", folder + "/driver"]
            subprocess.run(["g++", *flags, "tests/driver.cpp", "calendar.cpp"], check=True, capture_output=True)
            done = subprocess.run([folder + "/driver"], input=SCRIPT, check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), "1 0 2 1 2 0 25 1 0 3".split())


if __name__ == "__main__":
    unittest.main()
