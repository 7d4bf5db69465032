"""Says whether tests/test_issue.py can be run: it has at least four tests, and the code as it is does not pass them all."""

import unittest


class RunsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.suite = unittest.defaultTestLoader.loadTestsFromName("tests.test_issue")

    def test_there_are_tests(self):
        self.assertGreaterEqual(self.suite.countTestCases(), 4)

    def test_the_issue_is_seen(self):
        result = unittest.TestResult()
        self.suite.run(result)
        self.assertFalse(result.wasSuccessful())
        self.assertNotIn("_FailedTest", str(result.errors))


if __name__ == "__main__":
    unittest.main()
