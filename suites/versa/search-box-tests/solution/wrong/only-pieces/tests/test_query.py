"""Tests of the search box, by its documented behaviour only."""

import unittest

from archive import Term, TooLong, finds, parse, show


def flat(text):
    return [term for group in parse(text) for term in group]


class PiecesTest(unittest.TestCase):
    def test_blanks(self):
        self.assertEqual(flat("\ta  b\tc "), [Term("a"), Term("b"), Term("c")])
        self.assertEqual(parse(""), [])
        self.assertEqual(parse(" \t "), [])
        self.assertEqual(flat("Été b\nc"), [Term("Été"), Term("b\nc")])

    def test_phrases(self):
        self.assertEqual(flat('"a  B\tc"'), [Term("a  B\tc", phrase=True)])
        self.assertEqual(flat('"a"b c"d"'), [Term("a", phrase=True), Term("b"), Term('c"d"')])
        self.assertEqual(flat('"a"-"b"'), [Term("a", phrase=True), Term("b", phrase=True, negated=True)])
        self.assertEqual(flat('x "open end '), [Term("x"), Term("open end ", phrase=True)])
        self.assertEqual(flat('"" x ""'), [Term("x")])
        self.assertEqual(flat('-"" from:"" -to:"" x'), [Term("x")])
        self.assertEqual(flat('"'), [])
        self.assertEqual(flat('" "'), [Term(" ", phrase=True)])

    def test_escapes(self):
        self.assertEqual(flat(r'"a\"b" c'), [Term('a"b', phrase=True), Term("c")])
        self.assertEqual(flat(r'"a\\" c'), [Term("a\\", phrase=True), Term("c")])
        self.assertEqual(flat(r'"a\\\"b"'), [Term('a\\"b', phrase=True)])
        self.assertEqual(flat(r'"a\nb"'), [Term("a\\nb", phrase=True)])
        self.assertEqual(flat('"a\\'), [Term("a\\", phrase=True)])
        self.assertEqual(flat('"a\\"'), [Term('a"', phrase=True)])
        self.assertEqual(flat(r"a\\b \"c"), [Term(r"a\\b"), Term(r"\"c")])


class MarksTest(unittest.TestCase):
    def test_minus(self):
        self.assertEqual(flat("-a --b c-d e-"), [Term("a", negated=True), Term("-b", negated=True), Term("c-d"), Term("e-")])
        self.assertEqual(flat("a - b -"), [Term("a"), Term("b")])
        self.assertEqual(flat("-\ta"), [Term("a")])
        self.assertEqual(flat("--"), [Term("-", negated=True)])

    def test_fields(self):
        self.assertEqual(flat("from:a TO:b Subject:C"), [Term("a", "from"), Term("b", "to"), Term("C", "subject")])
        self.assertEqual(flat('-from:a -subject:"b c"'), [Term("a", "from", negated=True), Term("b c", "subject", True, True)])
        self.assertEqual(flat("body:a from x:from:b"), [Term("body:a"), Term("from"), Term("x:from:b")])
        self.assertEqual(flat("from:to:a from::b from:-c"), [Term("to:a", "from"), Term(":b", "from"), Term("-c", "from")])
        self.assertEqual(flat("From: a to:\tb -to:"), [Term("From:"), Term("a"), Term("to:"), Term("b"), Term("to:", negated=True)])
        self.assertEqual(flat("from:OR"), [Term("OR", "from")])


class GroupsTest(unittest.TestCase):
    def test_or(self):
        a, b, c, word = Term("a"), Term("b"), Term("c"), Term("OR")
        for text, groups in (
            ("a OR b c", [[a, b], [c]]),
            ("a OR b OR c", [[a, b, c]]),
            ("a b OR c", [[a], [b, c]]),
            ("OR a", [[word], [a]]),
            ("a OR", [[a], [word]]),
            ("OR", [[word]]),
            ("a or b", [[a], [Term("or")], [b]]),
            ('a "OR" b', [[a], [Term("OR", phrase=True)], [b]]),
            ("a -OR b", [[a], [Term("OR", negated=True)], [b]]),
            ("OR OR a", [[word, a]]),
            ('a OR ""', [[a], [word]]),
            ("- OR a", [[word], [a]]),
            ("a OR - b", [[a, b]]),
            ("a OR -b", [[a, Term("b", negated=True)]]),
        ):
            self.assertEqual(parse(text), groups, text)

    def test_limit(self):
        self.assertEqual(len(parse(" ".join("x" * 20))), 20)
        self.assertEqual([len(group) for group in parse(" OR ".join("x" * 20))], [20])
        self.assertEqual(len(flat('"" - ' * 30 + " ".join("x" * 20))), 20)
        for text in (" ".join("x" * 21), " OR ".join("x" * 21), " ".join("x" * 20) + " OR"):
            with self.assertRaises(TooLong):
                parse(text)
        self.assertTrue(issubclass(TooLong, ValueError))


class ShowTest(unittest.TestCase):
    def test_texts(self):
        self.assertEqual(show(parse(' -FROM:a   "b  c" OR  d')), '-from:a "b  c" OR d')
        self.assertEqual(show([]), "")

    def test_again(self):
        for text in ("a b", "-from:b", '"b c" d'):
            self.assertEqual(parse(show(parse(text))), parse(text), text)


class FindsTest(unittest.TestCase):
    MAIL = {"from": "Anna Groß", "to": "bob", "subject": "Report of MAY", "body": "See the report.\nYours"}

    def found(self, text, mail=MAIL):
        return finds(parse(text), mail)

    def test_case(self):
        for text in ("GROSS", "groß", "may", "ANNA", '"rt OF m"'):
            self.assertTrue(self.found(text), text)

    def test_places(self):
        for text, expected in (
            ("from:ann", True), ("to:anna", False), ("subject:may", True), ("subject:see", False), ("bob", True), ("see", True),
            ("epor", True), ('"groß bob"', False), ('"of  may"', False), ('"the report"', True), ("from:bob", False), ("to:bob", True),
        ):  # fmt: skip
            self.assertEqual(self.found(text), expected, text)
        self.assertFalse(self.found("ßbob"))

    def test_groups(self):
        for text, expected in (
            ("", True), ("anna bob", True), ("anna carl", False), ("carl OR bob", True), ("carl OR dora", False), ("carl OR bob dora", False),
        ):  # fmt: skip
            self.assertEqual(self.found(text), expected, text)

    def test_negated(self):
        for text, expected in (
            ("-anna", False), ("-carl", True), ("-from:bob", True), ("-to:bob", False), ("-report", False), ("carl OR -dora", True), ("bob -anna", False),
        ):  # fmt: skip
            self.assertEqual(self.found(text), expected, text)

    def test_missing_texts(self):
        self.assertTrue(self.found("x", {"body": "x"}))
        self.assertFalse(self.found("from:x", {"body": "x"}))
        self.assertTrue(self.found("-from:x", {}))
        self.assertTrue(self.found("", {}))
        self.assertFalse(self.found("x", {}))


if __name__ == "__main__":
    unittest.main()
