"""Hidden checks of env-file: the values that a shell has after eval, against a reader in Python."""

import re

NAME = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*)", re.DOTALL)
ASK = "out=$({shell} -c 'bash env2sh.sh x.env') || exit 9; eval \"$out\"; env -0"


def parse(line):
    """Oracle: name and value of a stripped line, or None if it is malformed."""
    found = NAME.fullmatch(line)
    if not found:
        return None
    value = found[2]
    if value[:1] == "'":
        end = value.find("'", 1)
        text, rest = value[1:end], value[end + 1 :]
        if end < 0:
            return None
    elif value[:1] == '"':
        quoted = re.match(r'"((?:[^"\\]|\\.)*)"', value, re.DOTALL)
        if not quoted:
            return None
        text = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], quoted[1], flags=re.DOTALL)
        rest = value[quoted.end() :]
    else:
        return found[1], re.split(r"(?:^|[ \t])#", value)[0].rstrip(" \t")
    return (found[1], text) if re.fullmatch(r"[ \t]*|[ \t]+#.*", rest, re.DOTALL) else None


def loaded(ws, text, shell="bash"):
    """Exported variables after eval, or None if the script failed."""
    ws.write("x.env", text)
    done = ws.run([shell, "-c", ASK.format(shell=shell)])
    if done.code == 9:
        return None
    assert done.code == 0, done
    return dict(entry.partition("=")[::2] for entry in done.stdout.split("\0") if entry)


def agrees(ws, lines, end="\n", last="\n", shell="bash"):
    """Demands the oracle's values of well-formed lines."""
    given = loaded(ws, end.join(lines) + last, shell)
    assert given is not None, lines
    expected = {}
    for line in lines:
        line = line.strip(" \t")
        if line and line[0] != "#":
            name, value = parse(line)
            expected[name] = value
    for name, value in expected.items():
        assert given.get(name) == value, (name, value, given.get(name), lines)


def random_lines(rng, size):
    """Well-formed lines of awkward characters, a name each."""
    pieces = [
        "a",
        " ",
        "#",
        "'",
        '"',
        "\\",
        "$HOME",
        "`id`",
        "$(id)",
        "n",
        ";",
        "&",
        "*",
        "!",
        "é",
        "=",
        "\t",
        "~",
        "\\n",
    ]
    lines = []
    while len(lines) < size:
        value = "".join(rng.choice(pieces) for _ in range(rng.randrange(7)))
        quote = rng.choice(("'", '"', ""))
        tail = rng.choice(("", "  ", " # it's \"x", "\t#")) if quote else ""
        lead = rng.choice(("", "  ", "export ", "\texport \t"))
        line = f"{lead}V{len(lines)}{rng.choice(('', ' ', chr(9)))}={rng.choice(('', ' '))}{quote}{value}{quote}{tail}"
        if parse(line.strip(" \t")):
            lines.append(line)
        if rng.random() < 0.2:
            lines.append(rng.choice(("", "# V0=no", "  \t", " #")))
    return lines


def test_random_values(ws):
    """Random values between random quotes arrive exactly."""
    for _ in range(3):
        agrees(ws, random_lines(ws.rng, 25))


def test_any_shell(ws):
    """The lines mean the same to sh as to bash."""
    agrees(ws, random_lines(ws.rng, 25), shell="sh")


def test_line_ends(ws):
    """CR LF is read like LF, and the last line may have no end."""
    agrees(ws, ["A=1", "", "B='x y'", 'C="z" ', "# end", "D=last"], end="\r\n", last="")
    agrees(ws, ["A=1 ", "B=2"], last="")


def test_unquoted_values(ws):
    """Comments need a blank before them; quotes inside mean nothing."""
    agrees(
        ws,
        [
            "A=a b",
            "B= #x",
            "C=#x",
            "D=a#b",
            "E=a #b",
            "F=it's",
            'G=a"b',
            "H=",
            "I=a\t#b",
            "J==",
            "K=\\n",
            "L=a 'b' ",
            "M=c#d",
        ],
    )


def test_double_quotes(ws):
    """Backslashes stand before quotes, backslashes, line feeds and characters that need none."""
    agrees(
        ws, [r'A="\\"', r'B="\\\""', r'C="a\nb"', r'D="\$HOME\`\q"', r'E="\\n"', 'F="" #', 'G="it\'s"', r'H="end\n"']
    )


def test_the_last_value_counts(ws):
    """A name that comes twice has its last value; names may look like this script's own variables."""
    agrees(ws, ["A=1", "A=2", "name=x", "value='y'", "line=z", "number=5", "REPLY=r", "output=o", "_A9=1"])


def test_malformed_lines(ws):
    """Each is refused with its number, and nothing is printed."""
    for bad in (
        "A",
        "1A=x",
        "=x",
        "A-B=x",
        "export",
        "A='x",
        'A="x',
        'A="x\\"',
        "A='x'y",
        'A="x"#y',
        "A='x' y",
        "exportA B=1",
        "A B=1",
        "é=1",
    ):
        ws.write("x.env", f"OK=1\n\n{bad}\nMORE=1\n")
        done = ws.run(["bash", "env2sh.sh", "x.env"])
        assert (done.code, done.stdout) == (1, ""), (bad, done)
        assert "line 3" in done.stderr, (bad, done)


def test_nothing_else_happens(ws):
    """No command in a value is run, neither while the file is read nor by eval."""
    given = loaded(ws, "A=`touch ran`\nB=\"$(touch ran)\"\nC='; touch ran #'\nD=\"'; touch ran; '\"\nE='\\'\n")
    assert given["B"] == "$(touch ran)" and given["D"] == "'; touch ran; '" and given["E"] == "\\"
    assert "ran" not in ws.files()
    assert loaded(ws, "") is not None and loaded(ws, "# nothing\n") is not None


def test_files_that_cannot_be_read(ws):
    """Status 2, and nothing on standard output."""
    for words in ([], ["absent.env"], ["tests"]):
        done = ws.run(["bash", "env2sh.sh", *words])
        assert (done.code, done.stdout) == (2, ""), (words, done)
