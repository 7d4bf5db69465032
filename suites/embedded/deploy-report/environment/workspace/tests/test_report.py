"""Tests of report.jq."""

import json
import subprocess
import unittest


def report(deploys):
    """What the program prints, decoded."""
    done = subprocess.run(
        ["jq", "-f", "report.jq"], input=json.dumps(deploys), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


class ReportTest(unittest.TestCase):
    def test_the_sample(self):
        with open("sample.json") as file:
            deploys = json.load(file)
        auth = {"service": "auth", "deploys": 1, "success": 0, "worst_streak": 1, "last_ok": None, "people": ["zoe"]}
        shop = {"service": "shop", "deploys": 3, "success": 33, "worst_streak": 2}
        shop |= {"last_ok": "2024-05-01T10:00:00Z", "people": ["ada", "zoe"]}
        self.assertEqual(report(deploys), [auth, shop])

    def test_nothing(self):
        self.assertEqual(report([]), [])


if __name__ == "__main__":
    unittest.main()
