"""Whether report.py says what example/ asks for; run with python3 -m unittest."""

import json
import subprocess
import sys
import unittest


class ReportTest(unittest.TestCase):
    def test_example(self):
        done = subprocess.run([sys.executable, "report.py", "example"], check=True, capture_output=True, text=True)
        self.assertEqual(self.near(json.loads(done.stdout)), self.near({'unknown_refunds': 1, 'cohorts': {'2025-01': {'customers': 1, 'active': [1.0, 0.0, 1.0], 'cents': [900, 900, 1900], 'days_to_second': 17}, '2025-02': {'customers': 2, 'active': [1.0, 0.0], 'cents': [450, 450], 'days_to_second': None}}}))

    def near(self, answer):
        if isinstance(answer, dict):
            return {key: self.near(value) for key, value in answer.items()}
        if isinstance(answer, list):
            return [self.near(value) for value in answer]
        return round(float(answer), 6) if isinstance(answer, float | int) and not isinstance(answer, bool) else answer
