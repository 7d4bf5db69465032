"""Hidden checks of zone-file: random zones, written in many ways, against the records that they were made from."""

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
STRINGS = (
    "x",
    "v=spf1",
    "a b",
    "",
    ";",
    "(",
    ")",
    '"',
    "\\",
    "a;b(c)",
    'say "hi"',
    "\\;",
    "@",
    "3600",
    "IN",
    "tab\there",
    "$TTL",
)


def written(ws, text, origin="example.org."):
    """Status and lines of the program."""
    done = ws.run(["perl", "zone.pl", origin], stdin=text)
    return done.code, done.stdout.splitlines()


class Writer:
    """Makes a zone: its text, and the lines that it stands for."""

    def __init__(self, rng, origin):
        self.rng, self.origin, self.text, self.wanted = rng, origin, "", []
        self.owner = self.default = self.last = None
        self.depth = 0

    def case(self, word):
        """A word in either case."""
        return self.rng.choice((word, word, word.lower(), word.capitalize()))

    def name(self):
        """How a name is written, and what it stands for."""
        short = self.rng.choice(
            ("a", "www", "NS1", "x.y", "*", "_srv", "in-addr", "1", "60m-x", "Mail.Sub", "txt2", "a\\b", "p'q")
        )
        if self.rng.random() < 0.2:
            return "@", self.origin.lower()
        if self.rng.random() < 0.3:
            return f"{short}.Net.", f"{short}.net.".lower()
        return short, f"{short}.{'' if self.origin == '.' else self.origin}".lower()

    def time(self):
        """How a time is written, and its seconds."""
        if self.rng.random() < 0.4:
            number = self.rng.choice((0, 5, 60, 3600, 2147483647))
            return self.rng.choice(("", "", "00")) + str(number), number
        parts = [(self.rng.randrange(30), self.rng.choice("smhdw")) for _ in range(self.rng.randrange(1, 4))]
        text = "".join(f"{number}{self.rng.choice((unit, unit.upper()))}" for number, unit in parts)
        return text, sum(number * UNITS[unit] for number, unit in parts)

    def blank(self):
        """What may stand between two words; inside of parentheses it may be a line end."""
        gap = self.rng.choice((" ", " ", "\t", "   "))
        if self.depth == 0 and self.rng.random() < 0.1 and self.room:
            self.depth, self.room = 1, False
            gap = self.rng.choice((" (", "(", " ( ", "(\n", " ( ; here\n"))
        elif self.depth == 1 and self.rng.random() < 0.3:
            gap = self.rng.choice(("\n", "\n\n ", ' ; a ) or ( in here, and a "\n', ";\n\t", "\n; x\n"))
        elif self.depth == 1 and self.rng.random() < 0.2:
            self.depth = 0
            gap = self.rng.choice((") ", " ) ", ")", "\n)"))
        return gap

    def string(self):
        """How a string is written, and how it is to be printed."""
        value = self.rng.choice(STRINGS)
        printed = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if value and not set(value) & set(' \t;()"') and self.rng.random() < 0.5:
            return value, printed
        inner = "".join("\\" + sign if sign in '"\\' or self.rng.random() < 0.1 else sign for sign in value)
        return f'"{inner}"', printed

    def data(self, kind):
        """How the data of a record are written, and how they are printed."""
        if kind == "A":
            return [("192.0.2.7",) * 2]
        if kind in ("NS", "CNAME"):
            return [self.name()]
        if kind == "MX":
            number = str(self.rng.randrange(100))
            return [(number, number), self.name()]
        if kind == "TXT":
            return [self.string() for _ in range(self.rng.randrange(1, 4))]
        times = [self.time() for _ in range(4)]
        return [self.name(), self.name(), ("2024010101",) * 2, *((text, str(value)) for text, value in times)]

    def record(self):
        """Adds one record."""
        rng, words = self.rng, []
        kind = rng.choice(("A", "NS", "CNAME", "MX", "TXT", "TXT", "SOA"))
        begin = self.name()
        if self.owner is not None and rng.random() < 0.4:
            begin = (rng.choice((" ", "\t", "    ")), None)
        else:
            self.owner = begin[1]
        time = self.time() if rng.random() < 0.4 or (self.default is None and self.last is None) else None
        if time:
            words.append(time[0])
        if rng.random() < 0.5:
            words.insert(rng.randrange(len(words) + 1), self.case("IN"))
        seconds = time[1] if time else self.last if self.default is None else self.default
        self.last = seconds
        data = self.data(kind)
        words += [self.case(kind), *(text for text, _ in data)]
        self.room = True
        self.text += begin[0]
        for at, word in enumerate(words):
            gap = self.blank() if at or begin[1] is not None else ""
            self.text += (gap if gap or at == 0 else " ") + word
        if self.depth:
            self.text += rng.choice((")", " )", "\n)", "\n  ) "))
            self.depth = 0
        self.text += rng.choice(("", "", " ", " ; done", ";done")) + "\n"
        self.wanted.append(f"{self.owner} {seconds} IN {kind} {' '.join(printed for _, printed in data)}")

    def other(self):
        """Adds a directive or a line that says nothing."""
        kind = self.rng.randrange(5)
        if kind == 0:
            text, value = self.name()
            self.text += f"{self.case('$ORIGIN')} {text}\n"
            self.origin = value
        elif kind == 1:
            text, self.default = self.time()
            self.text += f"{self.case('$TTL')}\t{text} ; default\n"
        else:
            self.text += self.rng.choice(("\n", "   \n", '; a comment ( "\n', "\t; x\n", "()\n", " ( ; x\n\n)\n"))


def test_random_zones(ws):
    """Records and directives in any way of writing."""
    for number in range(40):
        origin = ws.rng.choice(("example.org.", "Example.ORG.", "."))
        writer = Writer(ws.rng, origin)
        for _ in range(1 if number < 3 else 25):
            writer.other() if ws.rng.random() < 0.25 else writer.record()
        given = written(ws, writer.text, origin)
        for mine, theirs in zip(writer.wanted, given[1]):
            assert mine == theirs, (mine, theirs, writer.text)
        assert given == (0, writer.wanted), (given, writer.text)


def test_errors(ws):
    """The line where the broken entry begins; what came before it is printed."""
    good, line = "a 5 A 1.1.1.1\n", "a.example.org. 5 IN A 1.1.1.1"
    broken = [
        "b 5 NS ( c\n\n", "b 5 NS c )\n", "b 5 NS ( ( c ) )\n", 'b 5 TXT "c\n', 'b 5 TXT "c\\"\n', "b 5 AAAA ::1\n", "b 5\n", "b\n",
        "b IN\n", "b 5 NS\n", "b 5 NS c d\n", "b 5 MX mx\n", "b 5 MX 1 mx x\n", 'b 5 NS "c"\n', '"b" 5 NS c\n', "b 5 6 NS c\n",
        "b IN IN NS c\n", "b CH NS c\n", "b 5x NS c\n", "b 1h5 NS c\n", "b h NS c\n", 'b "5" NS c\n', 'b 5 "NS" c\n', "b 5 TXT\n", "b -5 NS c\n",
        "b 5 A 1.1.1.1 2.2.2.2\n", "b 5 A\n", "b SOA a b 1 1 1 1\n", "b SOA a b 1 1 1 1 1 1\n", "b SOA a b 1 1 1 x 1\n", "b SOA a b 1 x 1 1 1\n",
        "b SOA a b 1 1 1 1 1h1\n", "$TTL\n", "$TTL 5 6\n", "$TTL x\n", "$ORIGIN\n", "$ORIGIN a b\n", "$INCLUDE x\n", '$TTL "5"\n', "$X\n", "b (\n",
        "b 5 CNAME a b\n", "b 5 CNAME\n", "IN 5 IN\n", "b 5 A \"1.1.1.1\"\n", "b 5 MX \"1\" a\n", "b SOA \"a\" b 1 1 1 1 1\n", ")\n", " 5 IN\n",
    ]  # fmt: skip
    for text in broken:
        assert written(ws, good + "\n; x\n" + text + good) == (1, [line, "error 4"]), text
    inside = good + "b 5 ( ; x\n\n  NSX a )\n" + good
    assert written(ws, inside) == (1, [line, "error 2"])
    for text in (
        " 5 A 1.1.1.1\n",
        "a A 1.1.1.1\n",
        "a IN A 1.1.1.1\n",
        "$TTL x\n",
        "\t5 IN A 1.1.1.1\n",
        "(a 5 A 1.1.1.1)\n",
    ):
        assert written(ws, text) == (1, ["error 1"]), text


def test_times(ws):
    """Which time counts: the record's own, else the default of the moment, else that of the record before."""
    lines = [
        "a 7 A 1",
        "b A 1",
        "$TTL 1w1d",
        "c A 1",
        "d 0 A 1",
        "e A 1",
        "$TTL 0",
        "f A 1",
        " IN 1M A 1",
        " 1m2H IN A 1",
    ]
    times = [7, 7, 691200, 0, 691200, 0, 60, 7260]
    names = ["a", "b", "c", "d", "e", "f", "f", "f"]
    wanted = [f"{name}. {time} IN A 1" for name, time in zip(names, times, strict=True)]
    assert written(ws, "\n".join(lines), ".") == (0, wanted)
    assert written(ws, "") == (0, [])
    assert written(ws, "; nothing\n\n  \n") == (0, [])


def test_owners(ws):
    """An owner stays what it was when the origin changes; words that look like others at the beginning of a line."""
    text = "IN 5 NS a\n$ORIGIN sub\n 5 NS a\n5 5 NS 5\n@ 5 NS @\n$origin .\nA 5 A A\n$ORIGIN Deep.X.\nns NS ns\n(NS\nns )\n"
    wanted = [
        "in.example.org. 5 IN NS a.example.org.",
        "in.example.org. 5 IN NS a.sub.example.org.",
        "5.sub.example.org. 5 IN NS 5.sub.example.org.",
        "sub.example.org. 5 IN NS sub.example.org.",
        "a. 5 IN A A",
        "ns.deep.x. 5 IN NS ns.deep.x.",
        "ns.deep.x. 5 IN NS ns.deep.x.",
    ]
    assert written(ws, text, "Example.org.") == (0, wanted)
