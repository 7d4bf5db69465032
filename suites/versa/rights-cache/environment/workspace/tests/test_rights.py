"""Tests of commands and answers."""

import unittest

from rights import Refused, Service


class RightsTest(unittest.TestCase):
    def setUp(self):
        self.service = Service()

    def run_all(self, text):
        return self.service.run(line.strip() for line in text.strip().splitlines())

    def test_nearest_folder(self):
        answers = self.run_all("""
            grant ann / 3
            grant ann /docs 1
            ask ann /docs/api
            ask ann /src
            ask bob /src
        """)
        self.assertEqual(answers, [1, 3, 0])

    def test_groups_in_groups(self):
        answers = self.run_all("""
            join ann @dev
            join @dev @staff
            grant @staff /docs 4
            ask ann /docs
            leave @dev @staff
            ask ann /docs
        """)
        self.assertEqual(answers, [4, 0])

    def test_members_that_come_later(self):
        answers = self.run_all("""
            join @dev @staff
            join @staff @all
            grant @all /docs 4
            join ann @dev
            ask ann /docs
            leave @dev @staff
            ask ann /docs
        """)
        self.assertEqual(answers, [4, 0])

    def test_answers_are_kept(self):
        self.run_all("""
            join ann @dev
            ask ann /docs
            grant ann /docs/api 2
            join bob @dev
            ask ann /docs
            ask bob /docs
        """)
        self.assertEqual(self.service.computed, 2)

    def test_refused(self):
        self.run_all("join @a @b\njoin @b @c")
        for line in ("join @c @a", "join @a @a", "join @a @b", "leave ann @a", "revoke ann /", "hello", "join @a bob"):
            with self.assertRaises(Refused):
                self.service.run([line])


if __name__ == "__main__":
    unittest.main()
