"""Tests of routes.c."""

import subprocess
import tempfile
import unittest


class RoutesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = folder.name + "/routes"
        flags = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
        subprocess.run(["gcc", *flags, "-o", self.program, "routes.c"], check=True, capture_output=True)

    def answers(self, *lines):
        text = "".join(line + "\n" for line in lines)
        done = subprocess.run([self.program], input=text, check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    def test_the_longest_prefix_wins(self):
        self.assertEqual(
            self.answers("add 10.0.0.0/8 192.0.2.1", "add 10.1.0.0/16 192.0.2.2", "find 10.1.2.3", "find 11.0.0.1"),
            ["added", "added", "10.1.0.0/16 192.0.2.2", "none"],
        )

    def test_list_and_count(self):
        self.assertEqual(
            self.answers("add 10.1.0.0/16 192.0.2.1", "add 10.0.0.0/8 192.0.2.1", "list", "count 192.0.2.1"),
            ["added", "added", "10.0.0.0/8 192.0.2.1", "1 of 2", "16777216"],
        )

    def test_what_is_wrong(self):
        self.assertEqual(self.answers("add 10.0.0.1/8 192.0.2.1", "find 10.0.0", "list"), ["error", "error", "0 of 0"])


if __name__ == "__main__":
    unittest.main()
