"""Hidden checks of outline-numbers: random outlines against numbers computed in Python."""


def letters(number):
    """Oracle: a to z, aa, ..."""
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(97 + rest) + text
    return text


def numbered(lines, styles=()):
    """Oracle: lines of the output, or the number of the malformed line."""
    stack, out = [], []
    for place, line in enumerate(lines, 1):
        text = line.strip(" \t")
        if not text:
            continue
        column = 0
        for char in line[: len(line) - len(line.lstrip(" \t"))]:
            column = column + 1 if char == " " else (column // 4 + 1) * 4
        if not stack or column > stack[-1][0]:
            stack.append([column, 0])
        else:
            while stack and stack[-1][0] > column:
                stack.pop()
            if not stack or stack[-1][0] != column:
                return place
        stack[-1][1] += 1
        name = ""
        for level, (_column, count) in enumerate(stack):
            style = styles[level] if level < len(styles) else "1"
            name += {"1": str(count), "a": letters(count), "A": letters(count).upper()}[style] + "."
        out.append("  " * (len(stack) - 1) + f"{name} {text}")
    return out


def agrees(ws, lines, styles=(), end="\n"):
    """Demands the oracle's output, or its complaint."""
    done = ws.run(
        ["tclsh", "outline.tcl", *styles], stdin="\n".join(lines) + (end if lines else ""), env={"LANG": "C.UTF-8"}
    )
    wanted = numbered(lines, styles)
    if isinstance(wanted, int):
        assert (done.code, done.stdout) == (1, ""), (lines, done)
        assert f"line {wanted}" in done.stderr, (lines, done, wanted)
    else:
        assert done.code == 0, (lines, done)
        assert done.stdout == "".join(line + "\n" for line in wanted), (lines, done.stdout)


def outline(rng, size, careless=0.0):
    """Random lines; with `careless` above 0 some are indented like none above."""
    columns, lines = [rng.choice((0, 0, 2, 5))], []
    for _ in range(size):
        if lines and rng.random() < 0.35:
            columns.append(columns[-1] + rng.choice((1, 2, 3, 4, 7)))
        else:
            del columns[rng.randrange(len(columns)) + 1 :]
        column = columns[-1] if rng.random() >= careless else rng.randrange(12)
        blanks = " " * column
        if rng.random() < 0.5:
            blanks = rng.choice(("", " ", "  "))[: column % 4] + "\t" * (column // 4) + " " * (column % 4)
            if column // 4 == 0:
                blanks = " " * column
        text = rng.choice(("Money", "a  b", "[x] $y {z", "é ü", "\\n", "1. x", '"q"', "#"))
        lines.append(blanks + text + rng.choice(("", "", " ", "\t ")))
        if rng.random() < 0.15:
            lines.append(rng.choice(("", "   ", "\t")))
    return lines


def test_random_outlines(ws):
    """Spaces and tabs, steps of every size, texts that Tcl could take for code."""
    for styles in ((), ("A",), ("1", "a"), ("a", "A", "1", "a")):
        agrees(ws, outline(ws.rng, 80), styles)


def test_malformed_outlines(ws):
    """The first line that fits no line above is named; nothing is printed."""
    for _ in range(6):
        agrees(ws, outline(ws.rng, 8, 0.3))
    for lines in (
        ["  a", "b"],
        ["a", "    b", "  c"],
        ["", "a", "", "\tb", "  c"],
        ["a", "  b", "c", "    d", "  e"],
        ["a", "  b", "   c", " d"],
    ):
        agrees(ws, lines)


def test_many_lines(ws):
    """Letters beyond z, zz and the first three-letter name."""
    agrees(ws, ["x"] * 760, ("a",))
    agrees(ws, ["x", *[" y"] * 60, "z", " y"], ("1", "A"))


def test_tabs(ws):
    """A tab goes to the next multiple of four, after spaces too."""
    agrees(ws, ["a", "\tb", "    c", "  \td", " \t e", "     f", "   \t\tg", "\t\th"])


def test_ends(ws):
    """No input, only blanks, no line feed at the end."""
    agrees(ws, [])
    agrees(ws, ["", " \t"])
    agrees(ws, ["a", "  b"], end="")


def test_styles_are_checked(ws):
    """Unknown styles are refused, wherever they stand and whatever the input is."""
    for styles in (("b",), ("1", ""), ("a", "A", "2"), ("aa",), ("-",), ("[exit]",)):
        done = ws.run(["tclsh", "outline.tcl", *styles], stdin="a\n")
        assert (done.code, done.stdout) == (2, "") and done.stderr.strip(), (styles, done)
