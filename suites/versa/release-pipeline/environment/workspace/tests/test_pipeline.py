"""The pipeline where nothing fails, and where nothing starts."""

import json
import subprocess
import sys
import unittest


def run(event: str, ref: str) -> dict:
    words = [sys.executable, "ci.py", ".github/workflows/release.yml", "--json", "--event", event, "--ref", ref]
    done = subprocess.run(words, capture_output=True, text=True)
    if not done.stdout:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class PipelineTest(unittest.TestCase):
    def test_push_to_main(self):
        report = run("push", "refs/heads/main")
        results = [(job["id"], job["result"]) for job in report["jobs"]]
        self.assertEqual(report["conclusion"], "success", report)
        self.assertEqual(results.count(("test", "success")), 6)
        self.assertIn(("package", "success"), results)
        self.assertIn(("publish", "skipped"), results)
        self.assertIn("result: ok", report["summary"])

    def test_tag(self):
        results = {job["id"]: job["result"] for job in run("push", "refs/tags/v1.4.0")["jobs"]}
        self.assertEqual(results["publish"], "success")

    def test_other_branches(self):
        self.assertEqual(run("push", "refs/heads/try/colours")["conclusion"], "not started")


if __name__ == "__main__":
    unittest.main()
