"""The text that somebody looks for, and how the same looks in the JSON of a step before that is decoded.

Upper and lower case are the same: a character is also its own upper and lower case, where each is one character and
both are ASCII or neither is. So offsets in a text are those of its record.

Most steps do not hold it, and decoding them is what takes the time. `Needle.may_be_in` says from the bytes which steps
can be passed over; it may say yes in vain, never no.
"""

import re
from collections.abc import Iterator
from functools import cached_property

import msgspec

from honestly.errors import StoreError
from honestly.records import Step, step_texts

LONGEST = 1000
"""Characters that can be looked for."""

_ASIDE = frozenset(' /"\\\n')
"""Characters that JSON may write in several ways, or that stand for what is between two words or two arguments."""


class Needle:
    """A text to look for.

    Raises:
        StoreError: it is empty, or too long.
    """

    def __init__(self, text: str) -> None:
        if not text or len(text) > LONGEST:
            raise StoreError(f"cannot look for a text of {len(text)} characters; expected 1 to {LONGEST}")
        if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
            raise StoreError("cannot look for what is not Unicode text; no study contains any")
        self.text = text
        self._pattern = re.compile("".join(_one_of(map(re.escape, _letter_cases(char))) for char in text))

    def match_spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it begins and ends in a text, each time."""
        if self.text.isascii() and text.isascii() and self.text.lower() not in text.lower():
            return iter(())  # several times as fast, and the usual case
        return (found.span() for found in self._pattern.finditer(text))

    def in_step(self, step: Step) -> Iterator[tuple[str, str, list[tuple[int, int]]]]:
        """The texts of a step that hold it: their names, the texts, and where in them."""
        for name, text in step_texts(step):
            if spans := list(self.match_spans(text)):
                yield name, text, spans

    def may_be_in(self, lowered: bytes) -> bool:
        """Whether a text of these steps can hold it.

        Args:
            lowered: JSON of steps, its ASCII letters made small.
        """
        if self._plain_anchor and self._plain_anchor not in lowered:
            return self._escaped_character.search(lowered) is not None
        return self._longest_line.search(lowered) is not None or self._escaped_character.search(lowered) is not None

    @cached_property
    def _plain_anchor(self) -> bytes:
        """The longest part that JSON writes in one way, but for escapes that nobody needs."""
        plain = "".join(char if len(_json_forms(char)) == 1 and char not in _ASIDE else "\0" for char in self.text)
        return max(plain.split("\0"), key=len).encode().lower()

    @cached_property
    def _longest_line(self) -> re.Pattern[bytes]:
        """All of it, of several lines the longest one: between the others an argument's name may stand."""
        line = max(self.text.split("\n"), key=len)
        return re.compile(b"".join(_either([re.escape(form) for form in _json_forms(char)], char) for char in line))

    @cached_property
    def _escaped_character(self) -> re.Pattern[bytes]:
        """One of its characters as an escape such as others write it, where our own JSON does not."""
        cases = {each for char in self.text for each in _letter_cases(char)}
        ours = {each for each in cases if msgspec.json.encode(each).startswith(b'"\\u')}
        units = {each.encode("utf-16-be")[:2].hex() for each in cases - ours} or {"\0"}
        return re.compile(rb"\\u(?:" + "|".join(sorted(units)).encode() + rb")")


def _letter_cases(char: str) -> list[str]:
    same = {char, *(each for each in (char.lower(), char.upper()) if len(each) == 1)}
    return sorted(each for each in same if each.isascii() == char.isascii())


def _one_of(patterns: Iterator[str]) -> str:
    each = list(patterns)
    return each[0] if len(each) == 1 else f"(?:{'|'.join(each)})"


def _json_forms(char: str) -> list[bytes]:
    """How a character stands in JSON, and in the text of arguments that are JSON themselves; ASCII letters small."""
    plain = [each.encode().lower() for each in _letter_cases(char)]
    return sorted({*plain, *(msgspec.json.encode(each)[1:-1].lower() for each in _letter_cases(char))})


def _either(forms: list[bytes], char: str) -> bytes:
    if char == " ":  # words of a list are shown as a line of them
        forms = [*forms, rb'"\s*,\s*"']
    if char == "/":
        forms = [*forms, rb"\\/"]
    return forms[0] if len(forms) == 1 else b"(?:" + b"|".join(forms) + b")"
