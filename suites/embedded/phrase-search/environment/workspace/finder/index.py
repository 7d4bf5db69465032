"""The documents, and which of them a query finds."""

from __future__ import annotations

from finder.query import Term, parse, words_of


class Index:
    """Documents by number."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def __len__(self) -> int:
        """Number of documents."""
        return len(self._texts)

    def add(self, document: int, text: str) -> None:
        """Adds a document; one with the same number is replaced."""
        self._texts[document] = text

    def remove(self, document: int) -> None:
        """Takes a document out.

        Raises:
            KeyError: there is no document with this number.
        """
        del self._texts[document]

    def search(self, query: str) -> list[int]:
        """Numbers of the documents in which every wanted term occurs and no unwanted one.

        Those with more hits come first, and among equals the smaller number. The hits of a document are the places at
        which its wanted terms occur, added up over the terms: a word counts at each of its places, a prefix at each
        place of each word that starts so, a phrase at each place where it begins (occurrences may overlap). A term
        that is given twice counts twice.

        Raises:
            QueryError: the query cannot be understood.
        """
        asked = parse(query)
        hits: dict[int, int] = {}
        for document, text in self._texts.items():
            words = words_of(text)
            counts = [_count(term, words) for term in asked.wanted]
            if all(counts) and not any(_count(term, words) for term in asked.unwanted):
                hits[document] = sum(counts)
        return sorted(hits, key=lambda document: (-hits[document], document))


def _count(term: Term, words: list[str]) -> int:
    """At how many places of a document a term occurs."""
    if term.prefix:
        return sum(word.startswith(term.words[0]) for word in words)
    size = len(term.words)
    return sum(tuple(words[start : start + size]) == term.words for start in range(len(words) - size + 1))
