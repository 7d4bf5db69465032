"""Regular expressions that are tried only where one of their words stands.

Every match of a pattern holds at least one of its words, so a text without them is never searched: to look for a word
costs a hundredth of a search, and most patterns find nothing in most texts. A pattern whose matches never leave a line
is tried on the lines with a word alone. Words only save work, they decide nothing: a test takes each expression apart
and proves that no match can do without them.
"""

import re
from collections.abc import Iterator


class Pattern:
    """An expression, and the words of which each of its matches holds one.

    Args:
        expression: the regular expression.
        words: literals; in lower case where `flags` ignore case.
        flags: as for `re.compile`.
        lines: a match never holds a line's end, so that lines without a word can be left out.
    """

    __slots__ = ("compiled", "folds", "lines", "words")

    def __init__(self, expression: str, words: tuple[str, ...], flags: int = 0, *, lines: bool = False) -> None:
        self.compiled = re.compile(expression, flags)
        self.words = words
        self.folds = bool(flags & re.IGNORECASE)
        self.lines = lines

    def may_match(self, text: str) -> bool:
        """Whether there is anything to search for; if not, nothing matches."""
        if self.folds:
            text = text.lower()
        for word in self.words:  # noqa: SIM110  any() takes longer than the search
            if word in text:
                return True
        return False

    def search(self, text: str) -> re.Match[str] | None:
        """The first match, as `re.Pattern.search` finds it."""
        if not self.lines:
            return self.compiled.search(text) if self.may_match(text) else None
        for start, end in self._lines(text):
            if (match := self.compiled.search(text, start, end)) is not None:
                return match
        return None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches that do not overlap, in order."""
        if self.lines:
            for start, end in self._lines(text):
                yield from self.compiled.finditer(text, start, end)
        elif self.may_match(text):
            yield from self.compiled.finditer(text)

    def findall(self, text: str) -> list[str]:
        """Texts of all matches."""
        return [match[0] for match in self.finditer(text)]

    def _lines(self, text: str) -> list[tuple[int, int]]:
        """Beginnings and ends of the lines with a word, in order."""
        folded = text.lower() if self.folds else text
        if len(folded) != len(text):  # some letters become two: places in the one are not those in the other
            return [(0, len(text))]
        found: dict[int, int] = {}
        for word in self.words:
            at = folded.find(word)
            while at >= 0:
                end = folded.find("\n", at)
                if end < 0:
                    end = len(folded)
                found[folded.rfind("\n", 0, at) + 1] = end
                at = folded.find(word, end)
        return sorted(found.items()) if len(self.words) > 1 else list(found.items())
