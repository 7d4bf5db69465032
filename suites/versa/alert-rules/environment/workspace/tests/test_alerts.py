"""Tests of alerts.ml."""

import subprocess
import tempfile
import unittest
from pathlib import Path


class AlertsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        source = Path(folder.name, "alerts.ml")
        source.write_text(Path("alerts.ml").read_text())
        cls.program = folder.name + "/alerts"
        subprocess.run(["ocamlopt", "-o", cls.program, source], check=True, capture_output=True)

    def said(self, rule, *events):
        text = "".join(line + "\n" for line in (rule, *events))
        done = subprocess.run([self.program], input=text, check=False, capture_output=True, text=True)
        return done.returncode, done.stdout.split()

    def test_comparisons(self):
        rule = "load > 90 AND host <> 'test' OR full = 1"
        events = ["load=95 host=web", "load=95 host=test", "load=5 full=1", "host=web", "host=test full=0"]
        self.assertEqual(self.said(rule, *events), (0, ["yes", "unknown", "yes", "unknown", "no"]))

    def test_more_predicates(self):
        rule = "not code between 200 and 299 and method in ('PUT', 'POST')"
        self.assertEqual(
            self.said(rule, "code=404 method=PUT", "code=204 method=PUT", "code=404", "method=GET"),
            (0, ["yes", "no", "unknown", "no"]),
        )
        self.assertEqual(self.said("user IS NOT NULL", "user=ann", "host=a"), (0, ["yes", "no"]))

    def test_an_error(self):
        self.assertEqual(self.said("load >", "load=5"), (1, ["error"]))


if __name__ == "__main__":
    unittest.main()
