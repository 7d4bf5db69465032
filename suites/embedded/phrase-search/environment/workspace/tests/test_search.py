"""Tests of searching."""

import unittest

from finder import Index, QueryError, run


def desk() -> Index:
    index = Index()
    index.add(1, "Printer: paper jam in tray 2")
    index.add(2, "The printer prints blank paper. Printer driver replaced.")
    index.add(3, "Jam on toast ordered instead of paper")
    index.add(4, "On-line fax is off line")
    return index


class SearchTest(unittest.TestCase):
    def test_all_words_must_occur_and_more_hits_come_first(self):
        self.assertEqual(desk().search("printer paper"), [2, 1])

    def test_phrase(self):
        self.assertEqual(desk().search('"paper jam"'), [1])

    def test_prefix_and_unwanted_terms(self):
        self.assertEqual(desk().search("p* -toast"), [2, 1])

    def test_removed_documents_are_not_found(self):
        index = desk()
        index.remove(1)
        self.assertEqual(index.search("jam"), [3])

    def test_queries_that_ask_for_nothing(self):
        for query in ("", "-fax", '"paper'):
            with self.assertRaises(QueryError):
                desk().search(query)


class ScriptTest(unittest.TestCase):
    def test_script(self):
        script = "add 7 red wine\nadd 5 red red rose\nfind red\ndrop 7\nfind red\nfind wine\n"
        self.assertEqual(run(script), [[5, 7], [5], []])


if __name__ == "__main__":
    unittest.main()
