"""Says whether tests/test_release.sh accepts the library as it is, and rejects one without functions."""

import subprocess
import tempfile
import unittest


def accepts(path):
    """Whether the tests accept a library."""
    return subprocess.run(["bash", "tests/test_release.sh", path], capture_output=True, check=False).returncode == 0


class RunsTest(unittest.TestCase):
    def test_the_library(self):
        self.assertTrue(accepts("lib/release.sh"))

    def test_an_empty_library(self):
        with tempfile.NamedTemporaryFile() as file:
            self.assertFalse(accepts(file.name))


if __name__ == "__main__":
    unittest.main()
