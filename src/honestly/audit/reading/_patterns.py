"""Regular expressions that are tried only where one of their words stands.

To look for a word costs a hundredth of a search, and most patterns find nothing in most texts. So each expression is
taken apart, by the parser of `re` itself: every match holds one of its words, and a text without them is not searched.
A pattern whose matches never leave a line is tried on the lines with a word alone.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from re import _constants as codes, _parser as parser  # type: ignore[attr-defined]
from typing import Any

# A set of letters without a line's end.
_WITHIN = re.compile(r"\[\^(?:\\.|[^\]\\])*?\\[ns](?:\\.|[^\]\\])*\]")
_BEYOND = re.compile(r"\\[nsWDAZ]|\[\^|\n")
# Spellings of one run of letters, at most; letters of a word from which on few words are better than long ones.
_SPELLINGS, _LONG = 16, 4


class Pattern:
    """An expression that is compiled when it is first needed, and searched where it may be found."""

    def __init__(self, expression: str, flags: int = 0) -> None:
        self.expression, self.flags = expression, flags

    @cached_property
    def compiled_pattern(self) -> re.Pattern[str]:
        """The expression itself."""
        return re.compile(self.expression, self.flags)

    @cached_property
    def ignores_case(self) -> bool:
        """Whether case is ignored."""
        return bool(self.compiled_pattern.flags & re.IGNORECASE)

    @cached_property
    def required_words(self) -> tuple[str, ...]:
        """Each match holds one of these; in lower case where case is ignored. None where it may do without any."""
        _, held = _known_spellings(parser.parse(self.expression, self.flags))
        found = {word.lower() if self.ignores_case else word for word in held}
        return tuple(sorted(each for each in found if not any(other in each for other in found - {each})))

    @cached_property
    def is_line_bound(self) -> bool:
        """Whether a match never holds a line's end nor asks what is beyond, so that lines can be left out."""
        expression, flags = _WITHIN.sub("", self.expression), self.compiled_pattern.flags
        ends = not flags & re.MULTILINE and re.search(r"[$^]", expression)
        return not (_BEYOND.search(expression) or ends or flags & re.DOTALL)

    def may_match(self, text: str) -> bool:
        """Whether there is anything to search for; if not, nothing matches."""
        if self.ignores_case:
            text = text.lower()
        for word in self.required_words:
            if word in text:
                return True
        return not self.required_words

    def search(self, text: str) -> re.Match[str] | None:
        """The first match, as `re.Pattern.search` finds it."""
        if self.is_line_bound:
            return next(self.finditer(text), None)
        return self.compiled_pattern.search(text) if self.may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches that do not overlap, in order."""
        if self.is_line_bound and self.required_words:
            for start, end in self._candidate_lines(text):
                yield from self.compiled_pattern.finditer(text, start, end)
        elif self.may_match(text):
            yield from self.compiled_pattern.finditer(text)

    def findall(self, text: str) -> list[str]:
        """Texts of all matches."""
        return [match[0] for match in self.finditer(text)]

    def _candidate_lines(self, text: str) -> list[tuple[int, int]]:
        """Beginnings and ends of the lines with a word, in order."""
        folded = text.lower() if self.ignores_case else text
        # Some letters become two: places in the one are not those in the other.
        if len(folded) != len(text):
            return [(0, len(text))]
        found: dict[int, int] = {}
        for word in self.required_words:
            at = folded.find(word)
            while at >= 0:
                end = folded.find("\n", at)
                if end < 0:
                    end = len(folded)
                found[folded.rfind("\n", 0, at) + 1] = end
                at = folded.find(word, end)
        return sorted(found.items()) if len(self.required_words) > 1 else list(found.items())


def _known_spellings(items: Sequence[tuple[Any, Any]]) -> tuple[frozenset[str], frozenset[str]]:
    """All spellings of a sequence, or none where they cannot be told; and words of which each match holds one.

    All pieces of a sequence have to be there, so the words of one are enough: of a run of letters, or of several ways.
    """
    pieces: list[frozenset[str]] = []
    run = frozenset({""})
    for code, rest in items:
        spelt, held = _known_of(code, rest)
        if not spelt or len(run) * len(spelt) > _SPELLINGS:
            pieces += [run, held]
            run = frozenset({""})
        run = frozenset(before + after for before in run for after in spelt or {""})
    best = max((*pieces, run), key=_worth)
    return frozenset() if pieces else run, frozenset() if "" in best else best


def _known_of(code: object, rest: Any) -> tuple[frozenset[str], frozenset[str]]:  # noqa: ANN401
    if code is codes.LITERAL or (code is codes.IN and all(kind is codes.LITERAL for kind, _ in rest)):
        spelt = frozenset({chr(rest)} if code is codes.LITERAL else {chr(letter) for _, letter in rest})
        return spelt, spelt
    if code in {codes.AT, codes.ASSERT, codes.ASSERT_NOT}:
        return frozenset({""}), frozenset()
    # A group without flags of its own is no more than what it holds.
    if code is codes.BRANCH or (code is codes.SUBPATTERN and not rest[1] and not rest[2]):
        ways = [_known_spellings(way) for way in (rest[1] if code is codes.BRANCH else [rest[3]])]
        spelt, held = (frozenset().union(*each) if all(each) else frozenset() for each in zip(*ways, strict=True))
        return spelt, held
    if code in {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}:
        least, most, inner = rest
        spelt, held = _known_spellings(inner)
        if least == 0:
            spelt, held = spelt and spelt | {""}, frozenset()
        return spelt if most == 1 else frozenset(), held
    return frozenset(), frozenset()


def _worth(words: frozenset[str]) -> tuple[bool, int, int, int]:
    """How much they save: any word some, blanks little, long ones and few ones more."""
    shortest = min((len(word) if word.strip() else 0 for word in words), default=0)
    return bool(words) and "" not in words, min(shortest, _LONG), -len(words), shortest
