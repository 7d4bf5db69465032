"""Tests of sessions.go."""

import os
import subprocess
import tempfile
import unittest


class SessionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.program = folder.name + "/sessions"
        env = {**os.environ, "GOCACHE": folder.name + "/cache", "HOME": folder.name, "GOFLAGS": "-mod=mod"}
        subprocess.run(["go", "build", "-o", cls.program, "sessions.go"], check=True, capture_output=True, env=env)

    def reported(self, *lines, gap=10, lag=0):
        text = "".join(line + "\n" for line in lines)
        command = [self.program, f"-gap={gap}", f"-lag={lag}"]
        return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout.splitlines()

    def test_in_order(self):
        self.assertEqual(
            self.reported("0 ann 5", "10 ann 7", "15 bob 1", "26 bob -1"),
            ["session ann 0 10 2 12 7", "session bob 15 15 1 1 1", "session bob 26 26 1 -1 -1", "end 0"],
        )

    def test_two_sessions_become_one(self):
        self.assertEqual(self.reported("0 ann 1", "20 ann 2", "10 ann 3", lag=20), ["session ann 0 20 3 6 3", "end 0"])

    def test_late(self):
        self.assertEqual(
            self.reported("0 ann 1", "100 bob 2", "5 ann 4"),
            ["session ann 0 0 1 1 1", "late ann 5", "session bob 100 100 1 2 2", "end 1"],
        )


if __name__ == "__main__":
    unittest.main()
