"""The documents, and which of them a query finds.

Each word knows the documents that hold it and its places in them. A search starts from the term that can occur in the
fewest documents and looks at no others. The vocabulary is also kept sorted, so that the words of a prefix lie together.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from finder.query import Term, parse, words_of


class Index:
    """Documents by number."""

    def __init__(self) -> None:
        self._words: dict[int, list[str]] = {}
        self._places: dict[str, dict[int, list[int]]] = {}
        self._vocabulary: list[str] = []

    def __len__(self) -> int:
        """Number of documents."""
        return len(self._words)

    def add(self, document: int, text: str) -> None:
        """Adds a document; one with the same number is replaced."""
        words = self._words[document] = words_of(text)
        for place, word in enumerate(words):
            if word not in self._places:
                self._places[word] = {}
                insort(self._vocabulary, word)
            self._places[word].setdefault(document, []).append(place)

    def remove(self, document: int) -> None:
        """Takes a document out.

        Raises:
            KeyError: there is no document with this number.
        """
        for word in set(self._words.pop(document)):
            holders = self._places[word]
            holders.pop(document, None)
            if not holders:
                del self._places[word]
                del self._vocabulary[bisect_left(self._vocabulary, word)]

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
        wanted = [self._holders(term) for term in asked.wanted]
        unwanted = [self._holders(term) for term in asked.unwanted]
        hits: dict[int, int] = {}
        for document in _fewest(wanted):
            counts = [_count(holders, document) for holders in wanted]
            if all(counts) and not any(_count(holders, document) for holders in unwanted):
                hits[document] = sum(counts)
        return sorted(hits, key=lambda document: (-hits[document], document))

    def _holders(self, term: Term) -> list[dict[int, list[int]]]:
        """Places by document: for each word of a phrase, or for all words of a prefix together."""
        if not term.prefix:
            return [self._places.get(word, {}) for word in term.words]
        together: dict[int, list[int]] = {}
        start = bisect_left(self._vocabulary, term.words[0])
        while start < len(self._vocabulary) and self._vocabulary[start].startswith(term.words[0]):
            for document, places in self._places[self._vocabulary[start]].items():
                together[document] = together.get(document, []) + places
            start += 1
        return [together]


def _fewest(terms: list[list[dict[int, list[int]]]]) -> dict[int, list[int]]:
    """The shortest list of documents that cannot miss one in which all terms occur."""
    return min((holders for term in terms for holders in term), key=len)


def _count(holders: list[dict[int, list[int]]], document: int) -> int:
    """At how many places of a document a term begins, from the places of its words."""
    if any(document not in places for places in holders):
        return 0
    if len(holders) == 1:
        return len(holders[0][document])
    starts = set(holders[0][document])
    for offset, places in enumerate(holders[1:], start=1):
        starts.intersection_update([place - offset for place in places[document]])
    return len(starts)
