"""Hidden checks of bullet-wrap: markers, hanging indents, narrow widths and untouched paragraphs."""

from grader import raises


def fill(words, width):
    lines = []
    for word in words:
        if lines and len(f"{lines[-1]} {word}") <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return lines


def item_lines(prefix, words, width):
    """How the item with these words is printed."""
    lines = fill(words, width - len(prefix) - 1)
    if not lines:
        return [prefix]
    return [f"{prefix} {lines[0]}"] + [" " * (len(prefix) + 1) + line for line in lines[1:]]


def random_words(rng, size):
    return ["".join(rng.choice("abcxyz") for _ in range(rng.randrange(1, 9))) for _ in range(size)]


def broken(rng, words):
    """The words as a text, with line breaks and spaces at random."""
    text = words[0] if words else ""
    for word in words[1:]:
        text += rng.choice([" ", " ", "  ", "\n", "\n   "]) + word
    return text


def test_every_kind_of_marker(ws):
    """Continuations stand under the text, however wide the marker and the leading spaces are."""
    render = ws.load("textfit.render").render
    for marker in ["-", "*", "1.", "7.", "10.", "123.", "0."]:
        for spaces in ["", " ", "  ", "     "]:
            words = "aa bb cc dd ee ff gg".split()
            lines = item_lines(spaces + marker, words, 16)
            assert render(f"{spaces}{marker} {' '.join(words)}", 16) == "\n".join(lines), (spaces, marker)


def test_what_starts_no_item(ws):
    """Marker characters without a space after them, and other beginnings, belong to the paragraph."""
    render = ws.load("textfit.render").render
    for start in [
        "-5 degrees",
        "3.5 km",
        "--- x",
        "*bold* x",
        "1) x",
        "a. x",
        "1 . x",
        ".- x",
        "+ x",
        "– x",
        "1.- x",
        "٣. x",
    ]:
        assert render(f"so\n{start} it is", 60) == f"so {start} it is", start
        assert render(f"- so\n{start} it is", 60) == f"- so {start} it is", start
    assert render("we say - and this\nis 1. not an item", 60) == "we say - and this is 1. not an item"


def test_empty_items(ws):
    """An item without text is its marker, and no line ends with a space."""
    render = ws.load("textfit.render").render
    assert render("-\n- a\n  -   \n12.\n- b", 20) == "-\n- a\n  -\n12.\n- b"
    assert render("-\nlate text", 20) == "- late text"
    assert render("*", 1) == "*"


def test_items_keep_their_own_indent(ws):
    """Nested items keep their leading spaces; indented lines that start no item continue the one above."""
    render = ws.load("textfit.render").render
    text = "- outer item\n    with more\n  - inner item one\n  10. inner item two\n- last"
    expected = "- outer item\n  with more\n  - inner item\n    one\n  10. inner\n      item two\n- last"
    assert render(text, 15) == expected


def test_blocks(ws):
    """A blank line ends an item; blocks are one blank line apart."""
    render = ws.load("textfit.render").render
    text = "\n\nIntro\n- one\n\n\n  still text\n   \n- two\nmore\n* three\n"
    assert render(text, 30) == "Intro\n- one\n\nstill text\n\n- two more\n* three"


def test_no_room(ws):
    """Words that do not fit beside the marker stand one on a line, even where there is no room at all."""
    render = ws.load("textfit.render").render
    assert render("- incomprehensible as it is", 6) == "- incomprehensible\n  as\n  it\n  is"
    for width in [1, 2, 3, 4]:
        assert render("100. a bb", width) == "100. a\n     bb"
        assert render("    - a b", width) == "    - a\n      b"


def test_width_is_used_to_the_last_character(ws):
    """A word that ends exactly at the width stays on its line."""
    render = ws.load("textfit.render").render
    assert render("- aaa bbb", 9) == "- aaa bbb"
    assert render("- aaa bbb", 8) == "- aaa\n  bbb"
    assert render("10. aa bb cc dd", 9) == "10. aa bb\n    cc dd"


def test_random_lists(ws):
    """Random texts of paragraphs and items, broken anywhere, at many widths."""
    render = ws.load("textfit.render").render
    for _ in range(80):
        width = ws.rng.randrange(8, 40)
        text, expected = [], []
        for _ in range(ws.rng.randrange(1, 5)):
            words = random_words(ws.rng, ws.rng.randrange(0, 9))
            lines = fill(words, width)
            source = [broken(ws.rng, words)] if words else []
            for _ in range(ws.rng.randrange(1, 4)):
                prefix = " " * ws.rng.randrange(5) + ws.rng.choice(["-", "*", f"{ws.rng.randrange(1200)}."])
                words = random_words(ws.rng, ws.rng.randrange(0, 12))
                lines += item_lines(prefix, words, max(width, len(prefix) + 2))
                source.append(f"{prefix} {broken(ws.rng, words)}")
            text.append("\n".join(source))
            expected.append("\n".join(lines))
        assert render("\n\n".join(text), width) == "\n\n".join(expected)


def test_plain_text_as_before(ws):
    """Text without items is laid out as it always was."""
    render = ws.load("textfit.render").render
    for _ in range(40):
        width = ws.rng.randrange(1, 30)
        paragraphs = [random_words(ws.rng, ws.rng.randrange(1, 20)) for _ in range(3)]
        text = "\n \n".join(broken(ws.rng, words) for words in paragraphs)
        assert render(text, width) == "\n\n".join("\n".join(fill(words, width)) for words in paragraphs)
    assert render("", 10) == ""
    assert render("  \n\n", 10) == ""


def test_errors_stay(ws):
    """A width below 1 is refused, with and without items."""
    render = ws.load("textfit.render").render
    for width in [0, -3]:
        for text in ["a", "- a"]:
            with raises(ValueError):
                render(text, width)
    assert ws.load("textfit.words").wrap_words(["a", "b", "ccc"], 3) == ["a b", "ccc"]
