"""Terminal noise and middles: whatever a program writes, what is left is text that harms no terminal."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings, strategies as some

from honestly.errors import ToolError
from honestly.tools._edit_text import decoded_text, numbered_lines, place_of
from honestly.tools._text import middle_dropped, printed_text

PIECES = some.sampled_from(
    [b"\x1b", b"[", b"31m", b"]0;", b"\x07", b"\\", b"\r", b"\n", b"\x08", b"a", b"\xc3", b"\xa9", b"\x9b", b"\0"]
)
NOISE = some.one_of(some.binary(max_size=300), some.lists(PIECES, max_size=60).map(b"".join))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b[1;31mred\x1b[0m\x1b[K", "red"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link"),
        (b"10%\r 50%\r100%\n", "100%\n"),
        (b"long line\rshort", "shortline"),
        (b"dos\r\nlines\r\n", "dos\nlines\n"),
        (b"b\x08bo\x08ol\x08ld", "bold"),
        (b"bell\x07 \x1b(B\x9btab\there", "bell \ufffdtab\there"),
        ("é\u200b中".encode(), "é\u200b中"),
    ],
)
def test_what_a_person_would_see(data: bytes, text: str) -> None:
    assert printed_text(data) == text


@settings(max_examples=300, deadline=None)
@given(NOISE)
def test_nothing_that_acts_on_a_terminal_is_left(data: bytes) -> None:
    text = printed_text(data)
    assert not [sign for sign in text if unicodedata.category(sign) in {"Cc", "Cs"} and sign not in "\n\t"]
    assert "\ufffd" in text or printed_text(text.encode()) == text


@settings(max_examples=200, deadline=None)
@given(some.text(max_size=400), some.integers(0, 200))
def test_a_middle_is_counted(text: str, keep: int) -> None:
    shown, dropped = middle_dropped(text, keep)
    rest = re.sub(r"\n\[\.\.\. \d+ characters(?: in \d+ lines)? dropped here \.\.\.\]\n", "", shown, count=1)
    assert (shown == text and not dropped) if len(text) <= keep else len(rest) == keep
    assert len(rest.encode("utf-8", "replace")) + dropped == len(text.encode("utf-8", "replace"))


@settings(max_examples=200, deadline=None)
@given(some.text("ab \n\r", max_size=40), some.text("ab \n\r", max_size=6), some.text("abc\n", max_size=6))
def test_a_place_fits_once_or_is_refused_and_lines_are_numbered(text: str, old: str, new: str) -> None:
    assert decoded_text(text.encode(), "f", 1000) == text
    try:
        wanted, put = place_of(text, old, new, "f", everywhere=False)
    except ToolError:
        return
    assert text.count(wanted) == 1
    assert wanted.replace("\r\n", "\n") == old.replace("\r\n", "\n")
    after = text.replace(wanted, put)
    shown = numbered_lines(after, None, None, 10_000)
    if after:
        assert len(shown.split("\n")) == len(after.removesuffix("\n").split("\n"))
