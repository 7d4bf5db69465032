"""Tests of the plan and of the workflow."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path("ci/plan.py").absolute()
PACKAGES = Path("ci/packages.json").read_text()


class PlanTest(unittest.TestCase):
    def plan(self, changed: str, packages: str = PACKAGES) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/ci")
            Path(folder, "ci/packages.json").write_text(packages)
            Path(folder, "changed.txt").write_text(changed)
            return subprocess.run([sys.executable, str(SCRIPT)], cwd=folder, capture_output=True, text=True)

    def cells(self, changed: str) -> list:
        return [(each["package"], each["python"]) for each in json.loads(self.plan(changed).stdout)["include"]]

    def test_what_needs_it_is_tested_too(self):
        self.assertEqual(self.cells("libs/mail/code.py\n"), [("mail", "3.12"), ("web", "3.11")])

    def test_a_package_in_another(self):
        self.assertEqual(self.cells("apps/web/theme/code.py\n"), [("web-theme", "3.11")])

    def test_files_of_no_package(self):
        self.assertEqual(len(self.cells("Makefile\n")), 6)
        self.assertEqual(self.cells("README.md\ndocs/logo.svg\n"), [])

    def test_a_package_that_is_not_there(self):
        done = self.plan("README.md\n", '{"a": {"path": "a", "needs": ["b"], "pythons": []}}')
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_the_workflow(self):
        words = [sys.executable, "ci.py", ".github/workflows/test.yml", "--json"]
        report = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)
        outputs = [step["output"] for job in report["jobs"] if job["id"] == "test" for step in job["steps"]]
        self.assertEqual(report["conclusion"], "success")
        self.assertIn("tested mail with 3.12 in mail\n", outputs)
        self.assertNotIn("tested core with 3.12 in core\n", outputs)


if __name__ == "__main__":
    unittest.main()
