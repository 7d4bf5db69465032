"""Tests of the search box."""

import unittest

from archive import Term, TooLong, finds, parse, show

MAIL = {"from": "anna", "to": "bob", "subject": "Report", "body": "the quarterly report"}


class QueryTest(unittest.TestCase):
    def test_words(self):
        self.assertEqual(parse("a b"), [[Term("a")], [Term("b")]])

    def test_phrase(self):
        self.assertEqual(parse('"a b"'), [[Term("a b", phrase=True)]])

    def test_escape(self):
        self.assertEqual(parse(r'"a\"b"'), [[Term('a"b', phrase=True)]])

    def test_field(self):
        self.assertEqual(parse("From:a"), [[Term("a", "from")]])

    def test_minus(self):
        self.assertEqual(parse("-a"), [[Term("a", negated=True)]])

    def test_or(self):
        self.assertEqual(parse("a OR b"), [[Term("a"), Term("b")]])

    def test_limit(self):
        with self.assertRaises(TooLong):
            parse("a " * 21)

    def test_show(self):
        self.assertEqual(show(parse("a OR -b")), "a OR -b")

    def test_finds(self):
        self.assertTrue(finds(parse('from:anna "quarterly report" -draft'), MAIL))
        self.assertFalse(finds(parse("carl"), MAIL))


if __name__ == "__main__":
    unittest.main()
