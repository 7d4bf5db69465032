"""Whether report.py says what example/ asks for; run with python3 -m unittest."""

import json
import subprocess
import sys
import unittest


class ReportTest(unittest.TestCase):
    def test_example(self):
        done = subprocess.run([sys.executable, "report.py", "example"], check=True, capture_output=True, text=True)
        self.assertEqual(self.near(json.loads(done.stdout)), self.near({'users': {'a': 2, 'b': 3}, 'left_out': 1, 'cut': 40.0, 'theta': 1.4988986784140967, 'lift': 6.006424375917769, 'error': 14.30356341701802, 'spared': -0.3337515236158495}))

    def near(self, answer):
        if isinstance(answer, dict):
            return {key: self.near(value) for key, value in answer.items()}
        if isinstance(answer, list):
            return [self.near(value) for value in answer]
        return round(float(answer), 6) if isinstance(answer, float | int) and not isinstance(answer, bool) else answer
