"""Says whether tests/test_query.py can be run: it has at least eight tests, and they pass with the module as it is."""

import unittest


class RunsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.suite = unittest.defaultTestLoader.loadTestsFromName("tests.test_query")

    def test_there_are_tests(self):
        self.assertGreaterEqual(self.suite.countTestCases(), 8)

    def test_they_pass(self):
        result = unittest.TestResult()
        self.suite.run(result)
        self.assertTrue(result.wasSuccessful(), [text for _test, text in result.errors + result.failures])


if __name__ == "__main__":
    unittest.main()
