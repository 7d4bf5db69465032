"""Tests of refs.js."""

import json
import subprocess
import unittest


def adjusted(formula, kind, at, count):
    """The formula after a change."""
    change = json.dumps({"kind": kind, "at": at, "count": count})
    code = f"console.log(require('./refs.js').adjust({json.dumps(formula)}, {change}))"
    return subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True).stdout.rstrip("\n")


class RefsTest(unittest.TestCase):
    def test_deleted_rows(self):
        formula = '=SUM(A2:A9)+$B$3+"A9"&C$7+SUM(B4:B6)'
        self.assertEqual(adjusted(formula, "delete-rows", 3, 2), '=SUM(A2:A7)+#REF!+"A9"&C$5+SUM(B3:B4)')

    def test_inserted_columns(self):
        self.assertEqual(adjusted("=Z1+AZ$2*A3", "insert-columns", 2, 1), "=AA1+BA$2*A3")


if __name__ == "__main__":
    unittest.main()
