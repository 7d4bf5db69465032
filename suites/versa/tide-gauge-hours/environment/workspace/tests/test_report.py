"""Whether report.py says what example/ asks for; run with python3 -m unittest."""

import json
import subprocess
import sys
import unittest


class ReportTest(unittest.TestCase):
    def test_example(self):
        done = subprocess.run([sys.executable, "report.py", "example"], check=True, capture_output=True, text=True)
        self.assertEqual(self.near(json.loads(done.stdout)), self.near({'harbour': {'hours': {'2025-03-01T07:00': 1.653125}, 'highest': '2025-03-01T07:00', 'range': 0.0, 'left_out': 2}, 'mole': {'hours': {}, 'highest': None, 'range': None, 'left_out': 1}}))

    def near(self, answer):
        if isinstance(answer, dict):
            return {key: self.near(value) for key, value in answer.items()}
        if isinstance(answer, list):
            return [self.near(value) for value in answer]
        return round(float(answer), 6) if isinstance(answer, float | int) and not isinstance(answer, bool) else answer
