import unicodedata

from hypothesis import given, strategies as st

from honestly.show import (
    number_text,
    p_is,
    p_value,
    percent_text,
    points_text,
    printable_text_line,
    shorten_middle,
    span_text,
    text_width,
)


@given(st.text())
def test_printable_text_is_one_line_without_anything_that_acts(text):
    shown = printable_text_line(text)
    assert shown
    assert shown.isprintable()
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert printable_text_line(shown) == shown


def test_printable_text_shows_what_it_escapes():
    assert printable_text_line("a\x1b[31m\u202eb\U000e0001") == "a\\x1b[31m\\u202eb\\U000e0001"
    assert printable_text_line("  ") == "(no name)"
    assert printable_text_line("e" + "\u0308" * 4).count("\\u0308") == 2
    assert printable_text_line("שלום 日本") == "שלום 日本"


@given(st.text(), st.integers(1, 60))
def test_shortened_text_fits_and_keeps_both_ends(text, room):
    shown = shorten_middle(printable_text_line(text), room, len)
    assert len(shown) <= room
    if len(printable_text_line(text)) > room >= 5:
        assert shown[0] == printable_text_line(text)[0]
        assert shown[-1] == printable_text_line(text)[-1]


def test_widths_grow_with_text_and_size():
    assert text_width("iii", 10) < text_width("aaa", 10) < text_width("MMM", 10)
    assert text_width("日本", 10) >= 20
    assert text_width("ab", 26) == 2 * text_width("ab", 13)


def test_numbers_have_one_style():
    assert percent_text(0.5875) == percent_text(0.58749999999999991) == "58.8"
    assert percent_text(0.4125) == "41.3"
    assert percent_text(None) == percent_text(float("nan")) == "–"
    assert points_text(-0.02) == "−2.0"
    assert points_text(0.02) == "+2.0"
    assert points_text(-0.00001) == points_text(0.0) == "0.0"
    assert number_text(1234.5, 0, sign=True) == "+1235"
    assert (p_value(0.00001), p_value(0.0123), p_value(0.66), p_value(None)) == ("< 0.0001", "0.012", "0.66", "–")
    assert (p_is(0.00001), p_is(0.5)) == ("p < 0.0001", "p = 0.50")
    assert (span_text((1, 3)), span_text((2, 2)), span_text(None)) == ("1–3", "2", "–")
