"""Tests of frames.c."""

import subprocess
import tempfile
import unittest


class FramesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = folder.name + "/frames"
        flags = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
        subprocess.run(["gcc", *flags, "-o", self.program, "frames.c"], check=True, capture_output=True)

    def decoded(self, text):
        done = subprocess.run([self.program], input=text, check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    def test_two_frames(self):
        self.assertEqual(self.decoded("00 7e 1F 03 01 7D 5E 76 40 7E"), ["frame 1F 03 7E"])

    def test_bad_frames(self):
        self.assertEqual(
            self.decoded("7E 01 02 7E 01 02 00 7D 7E 7e 01 02 05 00 00 7E"), ["bad short", "bad escape", "bad length"]
        )

    def test_shared_flag(self):
        self.assertEqual(self.decoded("7E 01 02 00 21 60 7E 01 02 00 21 60 7E"), ["frame 01 02 -"] * 2)


if __name__ == "__main__":
    unittest.main()
