"""Shortened names: whatever they are, two that differ never look alike, and they fit where that can be."""

import pytest
from hypothesis import example, given, strategies as st
from rich.cells import cell_len

from honestly.show import short_names, text_width

TWINS = ["cli:/opt/a/http-agent http://127.0.0.1:8123/v1#good", "cli:/opt/b/http-agent http://127.0.0.1:8123/v1#good"]
WORDS = st.lists(
    st.sampled_from(["claude", "http://", "127.0.0.1", ":81", ":82", "/v1", "#good", "…", "~2", "é", "名前", "\u202e"])
)
NAMES = st.lists(st.text(max_size=40) | WORDS.map("".join), unique=True, max_size=12)


@given(NAMES, st.integers(6, 60))
@example(TWINS, 18)
@example(["ab", "aXb", "aYb"], 6)
@example(["x" * 30 + "a" + "y" * 30, "x" * 30 + "b" + "y" * 30, "x" * 30 + "…" + "y" * 30], 8)
@example(["\x1b", "\\x1b"], 8)
@example(["", " ", "(no name)"], 9)
def test_names_that_differ_look_different_and_fit(names, room):
    found = short_names(names, room)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert all(text.isprintable() for text in found.values())
    assert all(cell_len(text) <= room for text in found.values())


@given(NAMES, st.integers(60, 300))
def test_so_they_do_in_pixels(names, room):
    found = short_names(names, room, lambda text: text_width(text, 12))
    assert len(set(found.values())) == len(names)
    assert all(text_width(text, 12) <= room for text in found.values())


@pytest.mark.parametrize("room", [0, 1, 2, 3])
def test_they_stay_apart_where_nothing_fits(room):
    names = [f"agent-{n}" for n in range(30)]
    assert len(set(short_names(names, room).values())) == 30


def test_what_stays_is_what_differs():
    found = short_names(TWINS, 24)
    assert ["/a/" in text for text in found.values()] == [True, False]
    assert ["/b/" in text for text in found.values()] == [False, True]
    ports = [f"honest@http://127.0.0.1:{port}/v1#a-rather-long-name" for port in (8123, 9000)]
    assert ["8123" in text for text in short_names(ports, 20).values()] == [True, False]
    assert short_names(["short", "names"], 10) == {"short": "short", "names": "names"}


def test_names_of_many_words_keep_a_piece_of_each():
    names = [f"claude-opus-{model}-effort" for model in ("4-8-xhigh", "4-8-high", "4-7-high")]
    found = list(short_names(names, 23).values())
    assert max(map(len, found)) <= 23
    assert [[part for part in ("4-8", "4-7", "xhi") if part in text] for text in found] == [
        ["4-8", "xhi"],
        ["4-8"],
        ["4-7"],
    ]


def test_whole_texts_as_names_are_not_cut_letter_by_letter():
    texts = [f"{'word ' * 40_000}{end}" for end in ("one", "two", "six")]
    assert len(set(short_names(texts, 20).values())) == 3, "in a moment; letter by letter it would take minutes"
