"""Hidden checks of patch-offsets: patches of every kind, forwards and backwards, on texts that repeat themselves."""

import contextlib
from difflib import SequenceMatcher

from grader import raises


def lines_of(text):
    """Oracle: lines with their ends."""
    *ended, rest = text.split("\n")
    return [line + "\n" for line in ended] + [rest] * bool(rest)


def diff(old, new, context):
    """A unified diff of two texts, with marks for missing line ends."""
    a, b = lines_of(old), lines_of(new)
    out = ["--- a/x\n", "+++ b/x\n"]
    for group in SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(context):
        i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        out.append(f"@@ -{span(i1, i2)} +{span(j1, j2)} @@ section\n")
        for tag, from_old, to_old, from_new, to_new in group:
            if tag == "equal":
                out += [marked(" ", line) for line in a[from_old:to_old]]
            else:
                out += [marked("-", line) for line in a[from_old:to_old]] + [
                    marked("+", line) for line in b[from_new:to_new]
                ]
    return "".join(out)


def span(start, stop):
    """A range of a hunk's header."""
    count = stop - start
    return f"{start + (count > 0)}" if count == 1 else f"{start + (count > 0)},{count}"


def marked(mark, line):
    """A line of a hunk."""
    return mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def applied(text, hunks):
    """Oracle: hunks as (old_start, old, new), applied as the docstring of apply_patch says, or None."""
    lines, out, done, drift = lines_of(text), "", 0, 0
    for start, old, new in hunks:
        index = start - bool(old)
        best = None
        for place in range(done, len(lines) - len(old) + 1):
            far = abs(place - index - drift)
            if lines[place : place + len(old)] == old and (best is None or far < best[0]):
                best = (far, place)
        if best is None:
            return None
        drift = best[1] - index
        out += "".join(lines[done : best[1]] + new)
        done = best[1] + len(old)
    return out + "".join(lines[done:])


def random_text(rng, size, ended=0.7):
    """Lines of very few kinds, often repeated; a last line without end at times."""
    text = "".join(rng.choice(("a\n", "b\n", "\n", "-- x\n", "c\r\n")) for _ in range(rng.randrange(size)))
    return text if rng.random() < ended else text + rng.choice(("a", "b", "++ y"))


def edited(rng, text):
    """The text with some lines removed, added and replaced."""
    lines = lines_of(text)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(lines) + 1)
        lines[at : at + rng.randrange(3)] = [rng.choice(("a\n", "b\n", "z\n")) for _ in range(rng.randrange(3))]
    new = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
    return new if rng.random() < 0.7 else new.removesuffix("\n")


def each(ws, cases, reverse=False):
    """What apply_patch gives for each text and patch, in one exchange."""
    partial = ws.load("functools").partial(ws.load("patcher").apply_patch, reverse=reverse)
    return ws.load("builtins").list(ws.load("itertools").starmap(partial, cases))


def test_round_trips(ws):
    """What a diff describes comes out exactly, for every size of context."""
    pairs = [(text, edited(ws.rng, text)) for text in (random_text(ws.rng, 40) for _ in range(150))]
    cases = [(old, diff(old, new, number % 4)) for number, (old, new) in enumerate(pairs)]
    for (old, new), (_old, patch), given in zip(pairs, cases, each(ws, cases), strict=True):
        assert given == new, (old, patch)


def test_undoing(ws):
    """With `reverse`, the same diffs lead back exactly."""
    pairs = [(text, edited(ws.rng, text)) for text in (random_text(ws.rng, 40) for _ in range(150))]
    cases = [(new, diff(old, new, number % 4)) for number, (old, new) in enumerate(pairs)]
    for (old, new), (_new, patch), given in zip(pairs, cases, each(ws, cases, reverse=True), strict=True):
        assert given == old, (new, patch)


def test_hunks_between_equal_sections(ws):
    """Later hunks find their section, whatever earlier ones added or removed."""
    section = "[s]\nk = 1\nl = 2\n\n"
    for context in (0, 1, 2):
        changed = [section] * 9
        for at in ws.rng.sample(range(9), 4):
            changed[at] = ws.rng.choice(
                ("", "[s]\nk = 1\n\n", "[s]\nk = 1\nl = 2\n\nl = 2\nk = 3\n\n", "[t]\nk = 1\nl = 2\n\n")
            )
        old, new = section * 9, "".join(changed)
        patch = diff(old, new, context)
        assert ws.load("patcher").apply_patch(old, patch) == new
        assert ws.load("patcher").apply_patch(new, patch, reverse=True) == old


def test_diffs_without_context(ws):
    """Lines are added after the line that the header names, at the start, between lines, at the end, or to nothing."""
    apply_patch = ws.load("patcher").apply_patch
    for number in range(5):
        expected = "".join("a\n" * number + "new\n" + "a\n" * (4 - number))
        assert apply_patch("a\n" * 4, f"@@ -{number},0 +{number + 1} @@\n+new\n") == expected
        assert apply_patch(expected, f"@@ -{number},0 +{number + 1} @@\n+new\n", reverse=True) == "a\n" * 4
        assert apply_patch(expected, f"@@ -{number + 1} +{number},0 @@\n-new\n") == "a\n" * 4
        assert apply_patch("a\n" * 4, f"@@ -{number + 1} +{number},0 @@\n-new\n", reverse=True) == expected
    assert apply_patch("", "@@ -0,0 +1,2 @@\n+x\n+y\n") == "x\ny\n"
    assert apply_patch("x\n", "@@ -1 +0,0 @@\n-x\n") == ""
    assert apply_patch("a\nb\n", "@@ -1,0 +2 @@\n+x\n@@ -2,0 +4,2 @@\n+y\n+z\n") == "a\nx\nb\ny\nz\n"


def test_line_ends_at_the_end(ws):
    """A missing line end is added, removed, kept, and told from a present one."""
    patcher, no = ws.load("patcher"), "\\ No newline at end of file\n"
    adds = f"@@ -1,2 +1,2 @@\n a\n-b\n{no}+b\n"
    assert patcher.apply_patch("a\nb", adds) == "a\nb\n"
    assert patcher.apply_patch("a\nb\n", adds, reverse=True) == "a\nb"
    removes = f"@@ -1,2 +1,2 @@\n a\n-b\n+b\n{no}"
    assert patcher.apply_patch("a\nb\n", removes) == "a\nb"
    assert patcher.apply_patch("a\nb", removes, reverse=True) == "a\nb\n"
    assert patcher.apply_patch("a\nb", f"@@ -1,2 +1,2 @@\n-a\n+c\n b\n{no}") == "c\nb"
    assert patcher.apply_patch("a\nb", "@@ -1 +1 @@\n-a\n+c\n") == "c\nb"
    assert patcher.apply_patch("a\r\nb", f"@@ -1 +1,2 @@\n a\r\n+x\n@@ -2 +3 @@\n-b\n{no}+b\r\n") == "a\r\nx\nb\r\n"
    for text, patch in (
        ("a\nb\n", adds),
        ("a\nb", removes),
        ("a\nb", "@@ -2 +2 @@\n-b\n+c\n"),
        ("a\n", "@@ -1 +1 @@\n-a\r\n+c\n"),
    ):
        with raises("PatchError", match="hunk 1 does not fit"):
            patcher.apply_patch(text, patch)


def test_texts_that_have_changed(ws):
    """Hunks go to the nearest place, expect as much drift as the hunk before had, and never go back."""
    cases, expected = [], []
    while len(cases) < 150:
        lines = lines_of(random_text(ws.rng, 16, ended=1) + "".join(ws.rng.choice(("a\n", "b\n")) for _ in range(12)))
        hunks, start, delta = [], 1, 0
        for _ in range(ws.rng.randrange(1, 4)):
            start += ws.rng.randrange(6)
            old = [ws.rng.choice(("a\n", "b\n")) for _ in range(ws.rng.randrange(3))]
            new = [ws.rng.choice(("a\n", "n\n")) for _ in range(ws.rng.randrange(3))]
            hunks.append((start, old, new))
            start += len(old)
        patch = ""
        for start, old, new in hunks:
            patch += (
                f"@@ -{start},{len(old)} +{start + delta},{len(new)} @@\n" + "-".join(["", *old]) + "+".join(["", *new])
            )
            delta += len(new) - len(old)
        result = applied("".join(lines), hunks)
        if result is not None:
            cases.append(("".join(lines), patch))
            expected.append(result)
    for case, given, wanted in zip(cases, each(ws, cases), expected, strict=True):
        assert given == wanted, case


def test_patches_that_do_not_fit(ws):
    """The first hunk that fits nowhere after the one before is named, and broken diffs are refused."""
    patcher = ws.load("patcher")
    both = "@@ -1 +1 @@\n-a\n+x\n@@ -3 +3 @@\n-b\n+y\n"
    assert patcher.apply_patch("0\na\n1\nb\n", both) == "0\nx\n1\ny\n"
    for text, number in (("b\na\n", 2), ("a\nx\n", 2), ("b\n", 1), ("", 1)):
        with raises("PatchError", match=f"hunk {number} does not fit"):
            patcher.apply_patch(text, both)
    for patch, number in (
        ("@@ -1,2 +1 @@\n-a\n", 1),
        ("@@ -1 +1 @@\n-a\n+x\n@@ -3 +3,2 @@\n-b\n+x\n*y\n", 2),
        ("@@ -1 +1,2 @@\n a\n-b\n", 1),
    ):
        with raises("PatchError", match=f"hunk {number}"):
            patcher.parse_patch(patch)
    assert patcher.apply_patch("a\n", "no hunks\n") == "a\n"


def test_hunks_and_their_reverse(ws):
    """A hunk tells its lines, and its reverse trades numbers and lines."""
    hunk = ws.load("patcher").parse_patch("@@ -3,2 +5,3 @@ text\n a\n-b\n+c\n+d\n\\ No newline at end of file\n")[0]
    assert (hunk.old_start, hunk.new_start, hunk.old, hunk.new) == (3, 5, ["a\n", "b\n"], ["a\n", "c\n", "d"])
    back = hunk.reversed()
    assert (back.old_start, back.new_start, back.old, back.new) == (5, 3, ["a\n", "c\n", "d"], ["a\n", "b\n"])


def test_hunks_that_break_their_promises(ws):
    """More or fewer lines than the header says are a PatchError that names the hunk; nothing else is raised."""
    parse_patch = ws.load("patcher").parse_patch
    for patch in (
        "@@ -1 +1,2 @@\n a\n-b\n+c\n",
        "@@ -1,2 +1 @@\n a\n+b\n-c\n",
        "@@ -1 +1,3 @@\n a\n-b\n-b\n+c\n+c\n",
        "@@ -1,3 +1 @@\n a\n+b\n+b\n-c\n-c\n",
        "@@ -1,2 +1 @@\n-a",
    ):
        with raises("PatchError", match="hunk 1"):
            parse_patch(patch)
    with contextlib.suppress(ValueError):  # a mark that follows no line may be ignored or refused
        parse_patch("@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+b\n")


def test_lines_and_their_ends(ws):
    """Lines keep their ends, only the last may lack one, and so may the last line of a diff."""
    patcher = ws.load("patcher")
    split_lines = ws.load("patcher.hunks").split_lines
    for text in ("", "a", "a\n", "a\nb", "\na\n", "\n", "\n\n", "a\r\n\r"):
        assert split_lines(text) == lines_of(text), text
    assert patcher.apply_patch("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c") == "a\nc\n"
    assert patcher.apply_patch("a\n", "@@ -1 +1,2 @@\n a\n+b") == "a\nb\n"
    (hunk,) = patcher.parse_patch("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
    assert list(hunk.lines) == [(" ", "a\n"), ("-", "b\n"), ("+", "c\n")]
    assert list(hunk.reversed().lines) == [(" ", "a\n"), ("+", "b\n"), ("-", "c\n")]
