"""Tests of the search box: what `archive` promises of `parse`, `show` and `finds`."""

import itertools
import re
import unittest

from archive import Term, TooLong, finds, parse, show


def w(text, field="", negated=False):
    """A word."""
    return Term(text, field, False, negated)


def p(text, field="", negated=False):
    """A phrase."""
    return Term(text, field, True, negated)


def alone(*terms):
    """Groups of one term each."""
    return [[term] for term in terms]


# Queries and their groups; all of them are also shown and read again.
PIECES = [
    ("", []),
    (" \t ", []),
    ("a", alone(w("a"))),
    ("  a\tb  \t c\t", alone(w("a"), w("b"), w("c"))),
    ("Anna anna ANNA", alone(w("Anna"), w("anna"), w("ANNA"))),
    ("a\u00a0b\u2003c", alone(w("a\u00a0b\u2003c"))),
    ("\u00a0a \u2003 from:\u00a0b", alone(w("\u00a0a"), w("\u2003"), w("\u00a0b", "from"))),
    ("größe Ωmega 郵便 -é", alone(w("größe"), w("Ωmega"), w("郵便"), w("é", negated=True))),
    ("a,b (c) d.e* +f", alone(w("a,b"), w("(c)"), w("d.e*"), w("+f"))),
]

PHRASES = [
    ('"quarterly report"', alone(p("quarterly report"))),
    ('"one"', alone(p("one"))),
    ('"Ärger im Büro"', alone(p("Ärger im Büro"))),
    ('"  a \t  b "', alone(p("  a \t  b "))),
    ('" "', alone(p(" "))),
    ('"\t"', alone(p("\t"))),
    ('x "a b" y', alone(w("x"), p("a b"), w("y"))),
    # It ends at the end of the text, too.
    ('"a b', alone(p("a b"))),
    ('x "a b  ', alone(w("x"), p("a b  "))),
    # The piece ends with it.
    ('"a b"c d', alone(p("a b"), w("c"), w("d"))),
    ('"a""b"', alone(p("a"), p("b"))),
    ('"a b"-c', alone(p("a b"), w("c", negated=True))),
    ('"a"from:c', alone(p("a"), w("c", "from"))),
    ('-from:"a b"c', alone(p("a b", "from", True), w("c"))),
    ('"a"-"b"to:"c"', alone(p("a"), p("b", negated=True), p("c", "to"))),
    # Elsewhere, the quote is a letter.
    ('a"b c"', alone(w('a"b'), w('c"'))),
    ('5" disk', alone(w('5"'), w("disk"))),
    ('a""', alone(w('a""'))),
    ('cc:"a b"', alone(w('cc:"a'), w('b"'))),
    ('"a"b"c d"', alone(p("a"), w('b"c'), w('d"'))),
    # Marks within are letters, and so is a word in capitals.
    ('"-a from:b OR c"', alone(p("-a from:b OR c"))),
    ('"-"', alone(p("-"))),
    ('"from:"', alone(p("from:"))),
    ('from:"to:a"', alone(p("to:a", "from"))),
]

ESCAPES = [
    (r'"say \"hi\" now"', alone(p('say "hi" now'))),
    (r'"a\"b" c', alone(p('a"b'), w("c"))),
    (r'"\""', alone(p('"'))),
    (r'"C:\\new" x', alone(p(r"C:\new"), w("x"))),
    (r'"a\\" b', alone(p("a\\"), w("b"))),
    (r'"a\\\" b"', alone(p(r"a\" b"))),
    (r'"a\\\\" b', alone(p(r"a\\"), w("b"))),
    (r'"\\n\n\t\x"', alone(p(r"\n\n\t\x"))),
    (r'"a\ b"', alone(p(r"a\ b"))),
    # At the end of the text.
    ('"a\\', alone(p("a\\"))),
    ('"\\', alone(p("\\"))),
    (r'"a\\', alone(p("a\\"))),
    (r'"a\\\\', alone(p(r"a\\"))),
    (r'"a\"', alone(p('a"'))),
    (r'"\"', alone(p('"'))),
    (r'-to:"a\"', alone(p('a"', "to", True))),
    # Nothing of this in words.
    (r"a\\b \n \\", alone(w(r"a\\b"), w(r"\n"), w(r"\\"))),
    (r"a\"b c", alone(w(r"a\"b"), w("c"))),
    (r"\"a b\"", alone(w(r"\"a"), w(r"b\""))),
    ("a\\", alone(w("a\\"))),
]

TURNED = [
    ("-a", alone(w("a", negated=True))),
    ('-"a b"', alone(p("a b", negated=True))),
    ('-"a b', alone(p("a b", negated=True))),
    ("a-b c- d-", alone(w("a-b"), w("c-"), w("d-"))),
    ("-a-b", alone(w("a-b", negated=True))),
    # Only the first is a mark.
    ("--x", alone(w("-x", negated=True))),
    ("---x", alone(w("--x", negated=True))),
    ("--", alone(w("-", negated=True))),
    ('--"a b"', alone(w('-"a', negated=True), w('b"'))),
    ("--from:a", alone(w("-from:a", negated=True))),
    # A whole piece.
    ("-", []),
    ("a - b", alone(w("a"), w("b"))),
    ("- -\t-", []),
    ("-\ta", alone(w("a"))),
    ("a -", alone(w("a"))),
    ('- "a b"', alone(p("a b"))),
    ("- from:a", alone(w("a", "from"))),
]

FIELDS = [
    ("from:anna to:ben subject:tea", alone(w("anna", "from"), w("ben", "to"), w("tea", "subject"))),
    ("FROM:Anna To:BEN sUBJECt:Tea", alone(w("Anna", "from"), w("BEN", "to"), w("Tea", "subject"))),
    ("-from:a -TO:b", alone(w("a", "from", True), w("b", "to", True))),
    ('subject:"a b" -From:"c d"', alone(p("a b", "subject"), p("c d", "from", True))),
    ('to:"a b', alone(p("a b", "to"))),
    ("from:é", alone(w("é", "from"))),
    # The order of marks.
    ("from:-a", alone(w("-a", "from"))),
    ("-from:-a", alone(w("-a", "from", True))),
    ("to:-", alone(w("-", "to"))),
    ('from:-"a b"', alone(w('-"a', "from"), w('b"'))),
    # One field only.
    ("from:to:a", alone(w("to:a", "from"))),
    ("subject:re:", alone(w("re:", "subject"))),
    ("from::", alone(w(":", "from"))),
    # Other words with a colon.
    ("body:a cc:b re: :", alone(w("body:a"), w("cc:b"), w("re:"), w(":"))),
    ("xfrom:a from-to:b fromm:c fro:d", alone(w("xfrom:a"), w("from-to:b"), w("fromm:c"), w("fro:d"))),
    (":from:a http://from:80", alone(w(":from:a"), w("http://from:80"))),
    ("-body:a", alone(w("body:a", negated=True))),
    ("from to subject", alone(w("from"), w("to"), w("subject"))),
    ("from :a", alone(w("from"), w(":a"))),
    # Nothing after the colon.
    ("from:", alone(w("from:"))),
    ("from: anna", alone(w("from:"), w("anna"))),
    ("To:\tben", alone(w("To:"), w("ben"))),
    ('subject: "a b"', alone(w("subject:"), p("a b"))),
    ("-from:", alone(w("from:", negated=True))),
    ("-SUBJECT: a", alone(w("SUBJECT:", negated=True), w("a"))),
]

EMPTY = [
    ('""', []),
    ('"', []),
    ('a "', alone(w("a"))),
    ('a "" b', alone(w("a"), w("b"))),
    ('-"" from:"" -to:"" a', alone(w("a"))),
    ('-from:"', []),
    ('from:""a', alone(w("a"))),
    ('-""a', alone(w("a"))),
    ('""""', []),
    ('"""a"', alone(p("a"))),
]

GROUPS = [
    ("a OR b", [[w("a"), w("b")]]),
    ("a OR b OR c", [[w("a"), w("b"), w("c")]]),
    ("x a\tOR\tb y", [[w("x")], [w("a"), w("b")], [w("y")]]),
    ("a OR b c OR d", [[w("a"), w("b")], [w("c"), w("d")]]),
    ("a OR b c d OR e OR f", [[w("a"), w("b")], [w("c")], [w("d"), w("e"), w("f")]]),
    ('-a OR "b c" OR from:d', [[w("a", negated=True), p("b c"), w("d", "from")]]),
    ('a OR -to:"b"', [[w("a"), p("b", "to", True)]]),
    ('"a"OR b', [[p("a"), w("b")]]),
    # Not in capitals, with marks, in quotes, or within a word.
    ("a or b Or c oR d", alone(*map(w, ["a", "or", "b", "Or", "c", "oR", "d"]))),
    ("a -OR b", alone(w("a"), w("OR", negated=True), w("b"))),
    ("a from:OR b", alone(w("a"), w("OR", "from"), w("b"))),
    ('a "OR" b', alone(w("a"), p("OR"), w("b"))),
    ("aORb ORb aOR OR: b", alone(*map(w, ["aORb", "ORb", "aOR", "OR:", "b"]))),
    ('"a"OR"b"', alone(p("a"), w('OR"b"'))),
    # Nothing before it, or nothing after it.
    ("OR", alone(w("OR"))),
    ("OR a", alone(w("OR"), w("a"))),
    ("a OR", alone(w("a"), w("OR"))),
    ("OR a OR b", [[w("OR")], [w("a"), w("b")]]),
    ("a OR b OR", [[w("a"), w("b")], [w("OR")]]),
    # Two in a row.
    ("a OR OR b", [[w("a"), w("OR")], [w("b")]]),
    ("x OR a OR OR b c", [[w("x"), w("a"), w("OR")], [w("b")], [w("c")]]),
    # What is ignored is no term.
    ('"" OR a', alone(w("OR"), w("a"))),
    ('a OR ""', alone(w("a"), w("OR"))),
    ('a OR -"', alone(w("a"), w("OR"))),
    ("- OR a", alone(w("OR"), w("a"))),
    ("a OR -", alone(w("a"), w("OR"))),
    ("a OR - b", [[w("a"), w("b")]]),
    ('a OR "" b', [[w("a"), w("b")]]),
    ('a "" OR b', [[w("a"), w("b")]]),
]

MAIL = {
    "from": "Anna Groß <anna@example.org>",
    "to": "ben@example.org",
    "subject": "Re: Quarterly  Report",
    "body": "The invoice (No. 12) is in Room A+B.\nSee C:\\new, or say \"hi\".",
}


class QueryTest(unittest.TestCase):
    def check(self, table):
        for text, groups in table:
            with self.subTest(text=text):
                self.assertEqual(parse(text), groups)
                self.assertEqual(parse(show(groups)), groups)

    def test_pieces(self):
        self.check(PIECES)

    def test_phrases(self):
        self.check(PHRASES)

    def test_escapes(self):
        self.check(ESCAPES)

    def test_negation(self):
        self.check(TURNED)

    def test_fields(self):
        self.check(FIELDS)

    def test_empty_phrases(self):
        self.check(EMPTY)

    def test_groups(self):
        self.check(GROUPS)

    def test_terms(self):
        self.assertEqual(Term("a"), Term(text="a", field="", phrase=False, negated=False))
        term = parse('-Subject:"A b"')[0][0]
        self.assertEqual((term.text, term.field, term.phrase, term.negated), ("A b", "subject", True, True))

    def test_all_short_phrases(self):
        for length in range(1, 6):
            for signs in itertools.product('a\\"', repeat=length):
                text = '"' + "".join(signs)
                content = re.match(r'"((?:\\["\\]|[^"])*)', text)[1]
                if content:
                    wanted = re.sub(r'\\(["\\])', r"\1", content)
                    self.assertEqual(parse(text)[0], [p(wanted)], text)


class LimitTest(unittest.TestCase):
    def words(self, number):
        return [f"w{place}" for place in range(number)]

    def fits(self, text, terms=20):
        groups = parse(text)
        self.assertEqual(sum(map(len, groups)), terms)
        return groups

    def is_too_long(self, text):
        with self.assertRaises(TooLong):
            parse(text)

    def test_it_is_a_value_error(self):
        self.assertTrue(issubclass(TooLong, ValueError))

    def test_single_terms(self):
        self.assertEqual(self.fits(" ".join(self.words(20))), alone(*map(w, self.words(20))))
        self.is_too_long(" ".join(self.words(21)))
        self.is_too_long(" ".join(self.words(50)))
        self.is_too_long("a " * 21)

    def test_terms_of_groups(self):
        self.assertEqual(len(self.fits(" OR ".join(self.words(20)))), 1)
        self.is_too_long(" OR ".join(self.words(21)))
        self.assertEqual(len(self.fits("a OR b " * 10)), 10)
        self.is_too_long("a OR b " * 10 + "c")
        self.is_too_long("a OR b OR c " * 7)

    def test_all_kinds_of_terms(self):
        kinds = 'a -b from:c "d e" -to:"f" '
        self.fits(kinds * 4)
        self.is_too_long(kinds * 4 + '"g"')
        self.is_too_long(kinds * 4 + "-g")
        self.is_too_long(kinds * 4 + "to:g")

    def test_what_is_ignored_does_not_count(self):
        self.fits("a " * 20 + '- "" -"" from:""')
        self.fits('"" - ' * 30 + "a", 1)

    def test_words_that_are_no_marks_count(self):
        self.fits("a " * 19 + "OR")
        self.is_too_long("a " * 20 + "OR")
        self.is_too_long("OR " + "a " * 20)
        self.fits("a " * 18 + "OR OR b")
        self.is_too_long("a " * 19 + "OR OR b")
        self.fits("a " * 19 + "from:")
        self.is_too_long("a " * 20 + "from:")

    def test_the_longest_query_is_shown(self):
        groups = parse('-from:"a\\\\" OR b ' * 10)
        self.assertEqual(parse(show(groups)), groups)


class ShowTest(unittest.TestCase):
    def test_separators(self):
        self.assertEqual(show([]), "")
        self.assertEqual(show(parse("  a ")), "a")
        self.assertEqual(show(parse("  a \t b   c ")), "a b c")
        self.assertEqual(show(parse("a   OR\tb")), "a OR b")
        self.assertEqual(show(parse("x  a OR b  OR c  d  y OR z")), "x a OR b OR c d y OR z")

    def test_short_texts_are_read_again(self):
        pieces = ["a", "-", '"', "\\", " ", "from:", "OR", " OR "]
        for length in range(1, 5):
            for chosen in itertools.product(pieces, repeat=length):
                groups = parse("".join(chosen))
                self.assertEqual(parse(show(groups)), groups, chosen)


class FindsTest(unittest.TestCase):
    def check(self, mail, found=(), missed=()):
        for wanted, queries in ((True, found), (False, missed)):
            for query in queries:
                with self.subTest(query=query):
                    self.assertIs(bool(finds(parse(query), mail)), wanted)

    def test_no_groups(self):
        self.check(MAIL, ["", "-", '""'])
        self.check({}, [""])

    def test_each_text_is_looked_into(self):
        self.check(MAIL, ["anna", "ben", "quarterly", "invoice"], ["claire", "body", "from"])

    def test_within_words(self):
        self.check(MAIL, ["nvoic", "port", '"rly  rep"', "e", "@example.", "12)"], ["invoices", '"rly  repx"'])

    def test_signs_are_letters(self):
        self.check(MAIL, ["a+b", "(no.", "C:\\new,", '"say \\"hi\\"."', "B.\nSee"], ["in.oice", "n*", "a+b+", "[a-z]", "^The", "%"])

    def test_blanks_of_phrases(self):
        self.check(MAIL, ['"quarterly  report"', '"the invoice"', '" report"'], ['"quarterly report"', '"report "', '"the  invoice"', '" the"'])

    def test_fields(self):
        self.check(
            MAIL,
            ["from:anna", "to:ben", "subject:quarterly", 'subject:"re: q"', "FROM:ANNA"],
            ["to:anna", "subject:anna", "from:ben", "subject:ben", "from:quarterly", "to:report", "subject:invoice", "from:invoice", "to:invoice"],
        )

    def test_a_name_without_anything(self):
        self.check({"body": "Sent from: here"}, ["from:", '"from: here"', "from: here"], ["to:", "-from:", "from:here"])
        self.check({"from": "Sent"}, ["-from:"], ["from:"])

    def test_other_words_with_a_colon(self):
        self.check(MAIL, ["re:", "c:"], ["body:invoice", "cc:ben"])
        self.check({"to": "body:invoice"}, ["body:invoice"], ["-body:invoice"])

    def test_case(self):
        self.check(MAIL, ["ANNA", "aNNA", "QUARTERLY", "the", "THE", '"ROOM a"'])

    def test_case_beyond_ascii(self):
        self.check({"body": "Straße"}, ["STRASSE", "strasse", "straße", "Sse", '"STRASSE"', "STRAẞE"], ["strase"])
        self.check({"subject": "STRASSE"}, ["straße", 'subject:"straße"', "STRAẞE", "ß"], ["-straße"])
        self.check({"from": "Σίσυφος"}, ["ΣΊΣΥΦΟΣ", "σίσυφος", "from:ΦΟΣ", "φοσ"])
        self.check({"to": "ΣΊΣΥΦΟΣ"}, ["Σίσυφος", "to:ος"])
        self.check({"body": "ﬁle, Ärger, ЁЛКА"}, ["FILE", "ärger", "ёлка", "ÄRGER"], ["arger", "елка"])

    def test_texts_that_are_missing(self):
        self.check({}, ["-a", "-from:a", "-to:a OR b", '-subject:"a b"'], ["a", "from:a", "to:a", "subject:a", '"a b"', "a OR to:b"])
        self.check({"body": "tea"}, ["tea", "-from:tea", "-to:tea", "-subject:tea"], ["from:tea", "-tea", "tea from:tea"])
        self.check({"subject": ""}, ["-a", "-subject:a"], ["a", "subject:a"])

    def test_not_across_texts(self):
        names = ["from", "to", "subject", "body"]
        for one, other in itertools.permutations(names, 2):
            mail = dict.fromkeys(names, "") | {one: "green", other: "tea"}
            for between in ["", " ", "  ", "\n", "\t", "\r\n", "\0", ",", ";"]:
                for field in ["", "from", "to", "subject"]:
                    self.assertFalse(finds([[p(f"green{between}tea", field)]], mail), (mail, between, field))
            self.assertTrue(finds(parse("green tea"), mail))
        self.check({"from": "ab", "to": "cd", "subject": "ef", "body": "gh"}, ["ab cd ef gh"], ["bc", "de", "fg", "bcde", '"b c"', '"h a"'])

    def test_line_feeds_are_letters(self):
        self.assertEqual(parse("green\ntea"), [[Term("green\ntea")]])

    def test_negation(self):
        self.check(MAIL, ["-claire", "-to:anna", '-"quarterly report"', "anna -claire"], ["-anna", "-ben", "-QUARTERLY", "-invoice", "anna -ben", "-from:anna", '-"the invoice"'])
        self.check({"body": "a well-known -x"}, ["-from:-x", "-to:a"], ["--x", "-well-known", "from:-x"])
        self.check({"body": "x"}, ["--x"], ["-x"])

    def test_every_group_counts(self):
        self.check(MAIL, ["anna ben invoice", "anna ben -claire"], ["anna ben claire", "claire anna ben", "claire -anna", "-claire -anna"])

    def test_one_term_of_a_group_is_enough(self):
        self.check(
            MAIL,
            ["anna OR claire", "claire OR anna", "claire OR dora OR ben", "anna OR ben", "claire OR -dora", "claire OR -dora ben", "-anna OR ben", "to:anna OR from:anna"],
            ["claire OR dora", "-anna OR -ben", "anna OR ben claire", "claire OR dora anna", "claire OR dora ben OR anna", "to:anna OR -from:anna"],
        )

    def test_the_word_or(self):
        self.check({"body": "either or"}, ["OR", "either OR", "OR either", "x OR OR either", '"OR"', "from:a OR or"], ["-OR", "x OR OR y", "from:OR", "x OR"])
        self.check({"body": "neither"}, ["-OR"], ["OR neither", "neither OR", "neither OR OR x"])


if __name__ == "__main__":
    unittest.main()
