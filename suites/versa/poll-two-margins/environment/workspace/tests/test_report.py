"""Whether report.py says what example/ asks for; run with python3 -m unittest."""

import json
import subprocess
import sys
import unittest


class ReportTest(unittest.TestCase):
    def test_example(self):
        done = subprocess.run([sys.executable, "report.py", "example"], check=True, capture_output=True, text=True)
        self.assertEqual(self.near(json.loads(done.stdout)), self.near({'counted': 5, 'left_out': 2, 'share': 0.474074074074154, 'effective': 3.9610954140439887, 'margin_of_error': 0.4917380473532363, 'heaviest': 1.2499999999920988, 'regions': {'north': 0.6400000000014563, 'south': 0.0, 'isles': None}}))

    def near(self, answer):
        if isinstance(answer, dict):
            return {key: self.near(value) for key, value in answer.items()}
        if isinstance(answer, list):
            return [self.near(value) for value in answer]
        return round(float(answer), 6) if isinstance(answer, float | int) and not isinstance(answer, bool) else answer
