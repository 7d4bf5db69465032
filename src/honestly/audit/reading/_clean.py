"""A terminal's noise taken off a text: one pass, linear in its length, and as good as nothing where there is no noise.

What goes: escape sequences, all that a carriage return painted over, backspaced letters, progress bars, blanks at line
ends, repeated lines. What a person would have read at the end stays, line by line. Offsets into a cleaned text mean
nothing in the raw one; `honestly.audit.reading._evidence` finds a quote again in what was recorded.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from operator import eq

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"
    r"|[PX^_][^\x1b]{0,4096}\x1b\\|[ -/]{0,4}[0-~])"
)
_BAR = re.compile(
    r"[\u2501\u2578\u257a\u2580-\u259f\u2800-\u28ff]{3}|\d{1,3}%\|.{0,200}it/s|(?<![#=])[#=]{12,200}>? {0,200}\d{1,3}%"
)
_MARKS = ("\u2501", "\u2588", "it/s", "\u280b")
_RUBBED = re.compile(r"[^\x08\n]\x08")
# Rounds of rubbing out: more backspaces in a row than this only leave letters standing.
_ROUNDS = 64


def screen_text(text: str) -> str:
    """`text` as it stood on the screen when the terminal had dealt with it."""
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if "\x08" in text:
        for _ in range(_ROUNDS):
            text, rubbed = _RUBBED.subn("", text)
            if not rubbed:
                break
    lines = text.split("\n")
    # What was written last over the rest of its line stays.
    if "\r" in text:
        lines = [next(filter(str.strip, reversed(line.split("\r"))), "") if "\r" in line else line for line in lines]
    lines = list(map(str.rstrip, lines))
    # This is far quicker than the comprehension, and mostly false.
    if True in map(eq, lines, islice(lines, 1, None)):
        lines = [line for line, before in zip(lines, ["", *lines], strict=False) if line != before or not line]
    if _may_have_progress(text):
        lines = [line for line in lines if not (_may_have_progress(line) and _BAR.search(line[:2000]))]
    return "\n".join(lines)


def clipped_text(text: str, head: int, tail: int) -> tuple[str, int]:
    """The beginning and the end of a text, and how many characters between them were left out."""
    left_out = len(text) - head - tail
    if left_out <= 0:
        return text, 0
    return f"{text[:head]}\n{text[-tail:] if tail else ''}", left_out


def _may_have_progress(text: str) -> bool:
    """Whether a text may hold a progress bar."""
    if "%" in text and ("% " in text or "%\n" in text):
        return True
    # Three of the marks are no ASCII.
    if text.isascii():
        return "it/s" in text
    for mark in _MARKS:  # noqa: SIM110  any() takes longer than the search
        if mark in text:
            return True
    return False


class Logs(Mapping[str, str]):
    """The harness's logs of the tests: cleaned logs by name, each read when it is asked for.

    Args:
        names: names of the logs.
        read: gives a log as it was recorded, of bounded size.
    """

    def __init__(self, names: Iterable[str], read: Callable[[str], str]) -> None:
        self._names = tuple(names)
        self._text = cache(lambda name: screen_text(read(name)))

    def __getitem__(self, name: str) -> str:
        if name not in self._names:
            raise KeyError(name)
        return self._text(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
