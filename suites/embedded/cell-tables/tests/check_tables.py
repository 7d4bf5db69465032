"""Hidden checks of cell-tables: random tables against a layout in Python."""

import re


def wrap(text, width):
    """Lines of a cell."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
            continue
        if lines[-1]:
            lines.append("")
        pieces = [word[at : at + width] for at in range(0, len(word), width)]
        lines[-1:] = pieces
    return lines


def layout(rows, limit):
    """Oracle: the output, or None if the table is too wide."""
    columns = max(map(len, rows))
    rows = [[" ".join(cell.split(" ")) for cell in row] + [""] * (columns - len(row)) for row in rows]
    rows = [[re.sub(" +", " ", cell).strip(" ") for cell in row] for row in rows]
    widths = [max([1, *(len(row[c]) for row in rows)]) for c in range(columns)]
    while sum(widths) + 3 * (columns - 1) > limit:
        if max(widths) <= 3:
            return None
        widths[columns - 1 - widths[::-1].index(max(widths))] -= 1
    right = []
    for c in range(columns):
        filled = [row[c] for row in rows[1:] if row[c]]
        right.append(bool(filled) and all(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", cell) for cell in filled))
    rule = "-+-".join("-" * width for width in widths)
    cells = [[wrap(cell, width) for cell, width in zip(row, widths)] for row in rows]
    high = any(len(cell) > 1 for row in cells[1:] for cell in row)
    out = []
    for number, row in enumerate(cells):
        if number > 1 and high:
            out.append(rule)
        for line in range(max(map(len, row))):
            parts = [cell[line] if line < len(cell) else "" for cell in row]
            aligned = [p.rjust(w) if r else p.ljust(w) for p, w, r in zip(parts, widths, right)]
            out.append(" | ".join(aligned).rstrip(" "))
        if number == 0:
            out.append(rule)
    return "".join(line + "\n" for line in out)


def agrees(ws, rows, width):
    """Demands the oracle's table, or its refusal."""
    done = ws.run(["perl", "table.pl", str(width)], stdin="".join("\t".join(row) + "\n" for row in rows))
    wanted = layout(rows, width)
    if wanted is None:
        assert (done.code, done.stdout, done.stderr) == (1, "", "too narrow\n"), (rows, width, done)
    else:
        assert done.code == 0, done
        assert done.stdout == wanted, (rows, width, done.stdout, wanted)


def random_rows(rng):
    """A few rows and columns of words, numbers and nothing."""
    words = ["a", "to", "disk", "naïve", "überlang", "x" * 14, "-5", "3.25", "0", "1.", "--", "|"]
    kinds = [rng.choice(("words", "numbers", "mixed")) for _ in range(rng.randrange(1, 6))]

    def cell(kind):
        if rng.random() < 0.15:
            return rng.choice(("", " ", "   "))
        if kind == "numbers" or (kind == "mixed" and rng.random() < 0.7):
            return str(rng.choice((0, -5, 3.25, 1234567, 10)))
        return rng.choice(("", " ")) + rng.choice((" ", "  ")).join(
            rng.choice(words) for _ in range(rng.randrange(1, 6))
        )

    header = [rng.choice(("host", "a long header", "n", "")) for _ in kinds]
    return [header] + [[cell(kind) for kind in kinds][: rng.choice((9, 9, 2))] for _ in range(rng.randrange(5))]


def test_random_tables(ws):
    """Tables of every kind, in widths from too narrow to more than enough."""
    for _ in range(9):
        agrees(ws, random_rows(ws.rng), ws.rng.choice((8, 11, 14, 18, 20, 25, 31, 40, 60, 200)))


def test_shrinking(ws):
    """The widest column shrinks, of equals the rightmost; three is the least; narrow columns stay."""
    rows = [["aaaaaaaaaa", "bbbbbbbbbb", "cc"], ["1", "2", "3"]]
    for width in (27, 15, 14):
        agrees(ws, rows, width)
    agrees(ws, [["abcdefgh", "b"], ["x", ""]], 8)
    agrees(ws, [["a", "b", "c"]], 8)


def test_long_words(ws):
    """A word wider than its column is cut; the next may follow its last piece."""
    texts = ("aaaaaaaaaaaaaaaaaaaa b c", "xx aaaaaaaaaaaaaaaaaaaa b", "aaaaaaaaaa bbbbbbbbbb", "ééééééééééé é é é")
    agrees(ws, [["t", "u"], *([text, "5"] for text in texts)], 12)


def test_alignment_and_rules(ws):
    """What makes a column numeric; rules between rows depend on rows below the header."""
    agrees(ws, [["long header", "x"], ["", "1"], ["", "-2.5"], ["", ""]], 80)
    agrees(ws, [["a b c d", "x y z w"], ["1", "2"], ["3", "4"]], 9)
    agrees(ws, [["a", "b"], ["1", "5"], ["x y z", "6 7 8"], ["2", "7"]], 9)
    agrees(ws, [["n", "m", "o", "p"], ["+1", "1.", "1e5", "10"], ["1", "1", "1", "0.05"], ["1", "1", "1", "-9"]], 80)
    agrees(ws, [["a", "b"], ["x y z", "6 7 8"], ["2", "7"]], 9)
    agrees(ws, [["a", "b"], ["x", "y"], ["2", "7"]], 500)


def test_wrong_use(ws):
    """Widths that are none, and too many or too few words."""
    for words in ([], ["7"], ["501"], ["10", "10"], ["10.5"]):
        done = ws.run(["perl", "table.pl", *words], stdin="a\n")
        assert (done.code, done.stdout) == (2, "") and done.stderr.strip(), (words, done)
