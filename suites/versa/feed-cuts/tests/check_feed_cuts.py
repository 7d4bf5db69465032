"""Hidden checks of feed-cuts: exact answers, and random streams, cut at random, against a reader of whole texts."""

import json

from grader import raises

def diagnosis(ws):
    """What the solution says."""
    return json.loads(ws.read("diagnosis.json"))


def test_where_the_fault_is(ws):
    """The method."""
    found = diagnosis(ws)
    assert (found["module"], found["function"]) == ("feed/scanner.py", "Scanner.feed")


def test_sizes(ws):
    """Sizes of pieces, and what is missing."""
    found = diagnosis(ws)
    assert found["sizes_broken"] == [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 30, 31, 60, 73]
    assert found["sizes_wrong"] == [7, 9, 11, 13, 14, 18, 25, 29, 35, 37, 39, 41, 45, 55, 58, 59, 65, 71, 83, 87, 89, 90]
    assert all(type(number) is int for number in found["sizes_broken"] + found["sizes_wrong"])
    assert type(found["missing"]) is int and found["missing"] == 177595


def test_cuts(ws):
    """Places, and the shortest example."""
    found = diagnosis(ws)
    assert type(found["cuts"]) is int and found["cuts"] == 43
    assert found["pieces"] == ["\r", "\n"]
    assert (found["rows_given"], found["rows_right"]) == ([["\r"]], [])


def parse(text):
    """Rows of a whole text; None if it is broken."""
    rows, row, place = [], [], 0
    while place < len(text):
        if text[place] == '"':
            field, place = "", place + 1
            while True:
                end = text.find('"', place)
                if end < 0:
                    return None
                field, place = field + text[place:end], end + 1
                if text[place : place + 1] != '"':
                    break
                field, place = field + '"', place + 1
        else:
            end = place
            while end < len(text) and text[end] not in ";\n" and text[end : end + 2] != "\r\n":
                end += 1
            field, place = text[place:end], end
            if field == "" and not row and text[place : place + 1] != ";":
                place += 2 if text[place] == "\r" else 1
                continue
        row.append(field)
        if place == len(text):
            break
        if text[place] == ";":
            place += 1
            if place == len(text):
                row.append("")
            elif text[place] == "\n" or text[place : place + 2] == "\r\n":
                row.append("")
                rows.append(row)
                row, place = [], place + (1 if text[place] == "\n" else 2)
            continue
        if text[place] == "\n" or text[place : place + 2] == "\r\n":
            rows.append(row)
            row, place = [], place + (1 if text[place] == "\n" else 2)
            continue
        return None
    return rows + [row] if row else rows


def pieces_of(rng, whole):
    """A text or bytes in pieces, some of which are empty."""
    share = rng.choice((0.1, 0.3, 1))
    cuts = [0, *(n for n in range(len(whole) + 1) if rng.random() < share), len(whole)]
    cuts = sorted(cuts + [n for n in cuts if rng.random() < 0.2])
    return [whole[one:other] for one, other in zip(cuts, cuts[1:], strict=False)]


def random_text(rng):
    """Text with many ends of lines and quotation marks."""
    made = []
    for _ in range(rng.randrange(1, 12)):
        made.append(rng.choice(("a", "é", ";", "\r\n", "\n", "\r", "\r\r\n", '"x"', '""', '"p;q"', '"\r\n"', '"a""b\r"', '";', '€"', "\r")))
    return "".join(made)


PROBE = """
from feed import Reader
from feed.scanner import Broken, Scanner


def scan(pieces):
    scanner, rows = Scanner(), []
    try:
        for piece in pieces:
            rows += scanner.feed(piece)
        return rows + scanner.close()
    except Broken:
        return None


def read(pieces):
    reader, rows = Reader(), []
    for piece in pieces:
        rows += reader.push(piece)
    return rows + reader.close()
"""


def probe(ws):
    """Scans and reads pieces, inside."""
    ws.write("probe.py", PROBE)
    return ws.load("probe")


def test_random_texts(ws):
    """Random texts, cut at random, for the scanner."""
    scan = probe(ws).scan
    for _ in range(250):
        text = random_text(ws.rng)
        pieces = pieces_of(ws.rng, text)
        assert scan(pieces) == parse(text), pieces


def test_carriage_returns(ws):
    """Before and behind every cut, in quotes and outside."""
    scan = probe(ws).scan
    for text in ("\r\n", "a\r\n", "a\r\r\nb", "\r", "a;\r", '"a"\r\nb', '"a\r\n"\r\n', '"a"\r', '"\r"', "\r\r\r\n\r", ";\r\n;"):
        for one in range(len(text) + 1):
            for other in range(one, len(text) + 1):
                pieces = [text[:one], text[one:other], text[other:]]
                assert scan(pieces) == parse(text), pieces
        assert scan(list(text)) == parse(text)
        assert scan([piece for char in text for piece in (char, "", "")]) == parse(text)


def test_bytes(ws):
    """Bytes, with and without a mark at their beginning, for the reader."""
    read = probe(ws).read
    for _ in range(80):
        names = ws.rng.sample(("name", "stät", "n", "", "\ufeffx"), 2)
        fields = [[ws.rng.choice(("a", "é\r", '"€;"', '"\r\n"', "x y", '"""\r"')) for _ in range(2)] for _ in range(4)]
        ends = [ws.rng.choice(("\r\n", "\r\n", "\n", "\r\n\r\n")) for _ in range(4)] + [ws.rng.choice(("", "\r\n", "\r"))]
        lines = [";".join(row) for row in ([names] + fields)]
        text = "".join(line + end for line, end in zip(lines, ends, strict=True))
        rows = parse(text)
        data = ws.rng.choice(("", "\ufeff")).encode() + text.encode()
        if rows is None:
            continue
        if data.decode() == text and text.startswith("\ufeff"):
            rows[0][0] = rows[0][0].removeprefix("\ufeff")
        pieces = pieces_of(ws.rng, data)
        assert read(pieces) == [dict(zip(rows[0], row, strict=True)) for row in rows[1:]], pieces


def test_broken(ws):
    """What was refused is refused, and missing fields are."""
    feed, scanner = ws.load("feed"), ws.load("feed.scanner")
    for text in ('"a"b', '"a"\rb', '"', 'a;"b\r\n', '"a" ;b', '"a"\r'):
        made = scanner.Scanner()
        with raises("feed.scanner.Broken"):
            made.feed(text)
            made.close()
    reader = feed.Reader()
    reader.push(b"a;b\r\n1;2\r")
    with raises("feed.scanner.Broken"):
        reader.push(b"\n1\r\n")
    assert scanner.Scanner(",").feed("a;b,c\n") == [["a;b", "c"]]


def test_the_report(ws):
    """The same for all sizes."""
    feed, data = ws.load("feed"), ws.read("data/invoices.csv")
    text = (data.decode() if isinstance(data, bytes) else data).removeprefix("\ufeff")
    assert "\r\n" not in text or [row[3] for row in parse(text)].count("open") > 9
    for size in (*range(1, 21), 31, 60, 73, 99, 146, 4096):
        assert feed.open_amount("data/invoices.csv", size) == 1374734, size
    assert feed.open_amount("data/invoices.csv") == 1374734
