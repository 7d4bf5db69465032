"""Tests of reading."""

import unittest

from feed import Broken, Reader, open_amount
from feed.scanner import Scanner


def scanned(*pieces):
    scanner, rows = Scanner(), []
    for piece in pieces:
        rows += scanner.feed(piece)
    return rows + scanner.close()


class FeedTest(unittest.TestCase):
    def test_rows(self):
        self.assertEqual(scanned('a;"b;""c"""\r\n\r\nd;\n'), [["a", 'b;"c"'], ["d", ""]])
        self.assertEqual(scanned('x;"1\r\n2"'), [["x", "1\r\n2"]])
        self.assertEqual(scanned("a\rb;c\r"), [["a\rb", "c\r"]])

    def test_pieces(self):
        self.assertEqual(scanned('a;"b', '"', '";c"\n', "d;e"), [["a", 'b";c'], ["d", "e"]])
        self.assertEqual(scanned("a\r", "\nb\r", "c\r", "\n"), [["a"], ["b\rc"]])

    def test_names(self):
        reader = Reader()
        found = reader.push("\ufeffname;stät".encode()[:9]) + reader.push("\ufeffname;stät".encode()[9:])
        self.assertEqual(found + reader.push("e\nAda;Köln\n".encode()), [{"name": "Ada", "stäte": "Köln"}])

    def test_broken(self):
        for text in ('"a"b', 'a;"b'):
            with self.assertRaises(Broken):
                scanned(text)

    def test_report(self):
        self.assertEqual(open_amount("data/invoices.csv"), open_amount("data/invoices.csv", 100_000))


if __name__ == "__main__":
    unittest.main()
