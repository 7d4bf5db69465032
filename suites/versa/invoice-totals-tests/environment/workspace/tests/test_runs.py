"""Says whether tests/test_totals.py can be run: it has at least seven tests, and they pass with the module as it is."""

import unittest


class RunsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.suite = unittest.defaultTestLoader.loadTestsFromName("tests.test_totals")

    def test_there_are_tests(self):
        self.assertGreaterEqual(self.suite.countTestCases(), 7)

    def test_they_pass(self):
        result = unittest.TestResult()
        self.suite.run(result)
        self.assertTrue(result.wasSuccessful(), [text for _test, text in result.errors + result.failures])


if __name__ == "__main__":
    unittest.main()
