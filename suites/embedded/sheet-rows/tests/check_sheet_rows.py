"""Hidden checks of sheet-rows: references follow their cells, ranges their rows, and the rest of formulas stays."""

from grader import raises

LITERALS = (
    '"B2"',
    '"a3:A9 ""B4"" "',
    "x.B2",
    "B2.x",
    "_b3",
    "B4_",
    "ABC2",
    "12",
    "3.5",
    "  ",
    "#REF!",
    "sum",
    "( ",
    ")",
    "*",
    "&",
)


def moved(row, change):
    """Oracle: where a row goes; None if it is deleted. A change is ("insert" or "delete", row, count)."""
    kind, at, count = change
    if kind == "insert":
        return row + count if row >= at else row
    return row if row < at else None if row < at + count else row - count


def reference(rng):
    """A random reference as (column with dollar, dollar of the row, row)."""
    column = rng.choice(("A", "b", "$C", "aa", "$zZ"))
    return column, rng.choice(("", "", "$")), rng.randrange(1, 16)


def written(part, change=None):
    """A part of a formula as text, before or after a change."""
    if isinstance(part, str):
        return part
    references = part if isinstance(part, list) else [part]
    rows = [row for _column, _dollar, row in references]
    if change is not None:
        left = [moved(row, change) for row in range(min(rows), max(rows) + 1)]
        left = [row for row in left if row is not None]
        if not left:
            return "#REF!"
        rows = (
            [min(left)] if len(rows) == 1 else [min(left), max(left)] if rows[0] <= rows[1] else [max(left), min(left)]
        )
    return ":".join(f"{column}{dollar}{row}" for (column, dollar, _row), row in zip(references, rows, strict=True))


def random_formula(rng):
    """Parts of a formula, which need not make sense; signs keep them apart."""
    parts = ["="]
    for _ in range(rng.randrange(1, 6)):
        kind = rng.randrange(3)
        if kind == 0:
            parts.append(rng.choice(LITERALS))
        else:
            parts.append(reference(rng) if kind == 1 else [reference(rng), reference(rng)])
        parts.append(rng.choice(("+", ",", " - ", "/ ", "\n+")))
    return parts


def random_change(rng):
    """An insertion or a deletion."""
    return rng.choice(("insert", "delete")), rng.randrange(1, 17), rng.choice((1, 1, 2, 3, 6))


def apply(sheet, change):
    """Does the change to a sheet of the solution's."""
    kind, at, count = change
    assert getattr(sheet, f"{kind}_rows")(at, count) is None


def filled(ws, sources):
    """A sheet of the solution's with these cells."""
    sheet = ws.load("sheet").Sheet()
    for cell, source in sources.items():
        sheet.set(cell, source)
    return sheet


def test_random_formulas(ws):
    """Formulas of all kinds of parts: references and ranges follow, everything else stays letter for letter."""
    for _ in range(25):
        change = random_change(ws.rng)
        # Row 40 is below everything, so that the formulas themselves survive.
        formulas = [random_formula(ws.rng) for _ in range(4)]
        sheet = filled(ws, {f"{'ABCD'[n]}40": "".join(map(written, parts)) for n, parts in enumerate(formulas)})
        apply(sheet, change)
        row = moved(40, change)
        expected = {
            f"{'ABCD'[n]}{row}": "".join(written(part, change) for part in parts) for n, parts in enumerate(formulas)
        }
        assert sheet.cells() == expected, change


def test_many_changes_in_a_row(ws):
    """Cells, formulas and names after a series of changes, one on top of the other."""
    for _ in range(3):
        parts = {n: [reference(ws.rng), reference(ws.rng)] for n in range(4)}
        cells = {f"B{row}": row for row in ws.rng.sample(range(1, 30), 8)}
        sheet = filled(ws, {cell: f"t{row}" for cell, row in cells.items()})
        rows = {f"t{row}": row for row in cells.values()}
        for n, part in parts.items():
            sheet.define(f"n{n}_", written(part))
        spans = {n: (min(p[0][2], p[1][2]), max(p[0][2], p[1][2])) for n, p in parts.items()}
        for _ in range(6):
            change = random_change(ws.rng)
            apply(sheet, change)
            rows = {text: moved(row, change) for text, row in rows.items() if moved(row, change) is not None}
            for n, span in list(spans.items()):
                left = [moved(row, change) for row in range(span[0], span[1] + 1)] if span else []
                left = [row for row in left if row is not None]
                spans[n] = (left[0], left[-1]) if left else None
        assert sheet.cells() == {f"B{row}": text for text, row in sorted(rows.items(), key=lambda pair: pair[1])}
        names = sheet.names()
        for n, span in spans.items():
            (one, d1, r1), (two, d2, r2) = parts[n]
            first, last = (span if r1 <= r2 else span[::-1]) if span else (0, 0)
            assert names[f"n{n}_"] == (f"{one}{d1}{first}:{two}{d2}{last}" if span else "#REF!")


def test_borders_of_ranges(ws):
    """Insertions and deletions at, before and after the ends of a range, written downwards and upwards."""
    cases = {
        ("insert", 3, 1): "4:6",
        ("insert", 4, 2): "3:7",
        ("insert", 5, 1): "3:6",
        ("insert", 6, 1): "3:5",
        ("delete", 2, 1): "2:4",
        ("delete", 3, 1): "3:4",
        ("delete", 5, 1): "3:4",
        ("delete", 4, 1): "3:4",
        ("delete", 1, 3): "1:2",
        ("delete", 2, 3): "2:2",
        ("delete", 4, 9): "3:3",
        ("delete", 3, 3): None,
        ("delete", 1, 9): None,
        ("delete", 6, 1): "3:5",
        ("delete", 3, 2): "3:3",
        ("delete", 1, 2): "1:3",
    }
    for change, rows in cases.items():
        sheet = filled(ws, {"D30": "=SUM(A3:B5)", "E30": "=sum( $b$5:A3 )", "F30": "=COUNT(a$4:a$4)"})
        apply(sheet, change)
        row = moved(30, change)
        first, last = rows.split(":") if rows else ("", "")
        assert sheet.get(f"D{row}") == (f"=SUM(A{first}:B{last})" if rows else "=SUM(#REF!)"), change
        assert sheet.get(f"E{row}") == (f"=sum( $b${last}:A{first} )" if rows else "=sum( #REF! )"), change
        four = moved(4, change)
        assert sheet.get(f"F{row}") == (f"=COUNT(a${four}:a${four})" if four else "=COUNT(#REF!)"), change


def test_what_only_looks_like_references(ws):
    """Texts in quotes, names, functions and cells without formula stay as they are."""
    sources = {
        "A8": '="A5" & "said ""A5:A6""" & A5',
        "A9": "=A5.net + net.A5 + A5_ + _A5 + ABC5 + A05",
        "A10": "see A5",
        "A11": "'=A5",
        "A12": "=  a5 +\tA$5  + \n$A5*-$a$5",
    }
    sheet = filled(ws, sources)
    sheet.insert_rows(2, 3)
    expected = [source.replace(" & A5", " & A8") for source in sources.values()]
    expected[4] = "=  a8 +\tA$8  + \n$A8*-$a$8"
    assert list(sheet.cells().values()) == expected
    assert list(sheet.cells()) == ["A11", "A12", "A13", "A14", "A15"]
    sheet.delete_rows(8)
    assert sheet.get("A10") == '="A5" & "said ""A5:A6""" & #REF!'
    assert sheet.get("A14") == "=  #REF! +\t#REF!  + \n#REF!*-#REF!"


def test_values_follow(ws):
    """Values that nothing was taken from stay the same after any insertion, also those calculated before."""
    rng = ws.rng
    sources = {f"A{row}": str(rng.randrange(100)) for row in range(1, 9)}
    sources |= {
        "B2": "=SUM(A2:A5)",
        "B4": "=B2 + A8",
        "B6": "=MAX(A1:A8) * A3",
        "B7": "=SUM(b2:b6)",
        "C1": '=a1 & "A1"',
    }
    sheet = filled(ws, sources)
    sheet.define("Mid.A2", "$A$3:A6")
    sheet.set("C8", "=SUM(mid.a2) - A8")
    before = {cell: sheet.value(cell) for cell in sheet.cells()}
    at, count = rng.randrange(1, 10), rng.randrange(1, 4)
    sheet.insert_rows(at, count)
    for cell, value in before.items():
        place = f"{cell[0]}{moved(int(cell[1:]), ('insert', at, count))}"
        assert sheet.value(place) == value, (cell, at, count)
    sheet.delete_rows(at, count)
    assert {cell: sheet.value(cell) for cell in sheet.cells()} == before


def test_lost_references(ws):
    """What refers to deleted rows has the value #REF!, directly, by ranges and by names; the rest is new."""
    sheet = filled(
        ws,
        {
            "A1": "1",
            "A2": "2",
            "A3": "3",
            "A4": "4",
            "B1": "=A2",
            "C1": "=SUM(A2:A2)",
            "D1": "=SUM(A1:A4)",
            "E1": "=SUM(one)",
            "F1": "=SUM(all)",
        },
    )
    sheet.define("one", "A2")
    sheet.define("all", "A2:A3")
    assert [sheet.value(f"{column}1") for column in "BCDEF"] == [2, 2, 10, 2, 5]
    sheet.delete_rows(2)
    assert [sheet.value(f"{column}1") for column in "BCDEF"] == ["#REF!", "#REF!", 8, "#REF!", 3]
    assert sheet.names() == {"one": "#REF!", "all": "A2:A2"}
    sheet.delete_rows(2, 5)
    assert [sheet.get(f"{column}1") for column in "BCDEF"] == [
        "=#REF!",
        "=SUM(#REF!)",
        "=SUM(A1:A1)",
        "=SUM(one)",
        "=SUM(all)",
    ]
    assert [sheet.value(f"{column}1") for column in "ABCDEF"] == [1, "#REF!", "#REF!", 1, "#REF!", "#REF!"]
    sheet.insert_rows(1)
    assert (sheet.get("B2"), sheet.get("D2"), sheet.names()) == (
        "=#REF!",
        "=SUM(A2:A2)",
        {"one": "#REF!", "all": "#REF!"},
    )
    sheet.define("one", "A2")
    assert sheet.value("E2") == 1


def test_formulas_in_deleted_rows_and_cycles(ws):
    """Formulas disappear with their rows, and self-references stay what they were."""
    sheet = filled(ws, {"A1": "=A2", "A2": "=A3", "A3": "=A1", "B2": "=A9", "A9": "7"})
    assert sheet.value("A1") == "#CYCLE!"
    sheet.insert_rows(2)
    assert sheet.cells() == {"A1": "=A3", "A3": "=A4", "B3": "=A10", "A4": "=A1", "A10": "7"}
    assert sheet.value("A4") == "#CYCLE!"
    sheet.delete_rows(3)
    assert sheet.cells() == {"A1": "=#REF!", "A3": "=A1", "A9": "7"}
    assert sheet.value("A3") == "#REF!"


def test_refused_arguments(ws):
    """Rows and counts start at 1; otherwise nothing changes. One row is the default."""
    sheet = filled(ws, {"A1": "1", "A2": "=A1"})
    for row, count in ((0, 1), (-3, 1), (1, 0), (1, -1)):
        for method in (sheet.insert_rows, sheet.delete_rows):
            with raises(ValueError):
                method(row, count)
            assert sheet.cells() == {"A1": "1", "A2": "=A1"}
    sheet.insert_rows(before=1)
    assert sheet.cells() == {"A2": "1", "A3": "=A2"}
    sheet.delete_rows(first=1)
    sheet.insert_rows(500, count=3)
    sheet.delete_rows(500, count=3)
    assert sheet.cells() == {"A1": "1", "A2": "=A1"}
    assert sheet.value("A2") == 1


def test_values_of_all_kinds(ws):
    """Numbers, texts, empty cells and unknown names have the values that they had."""
    sheet = filled(ws, {"A1": "2", "A2": "2.5", "A3": "two", "A4": "=A1+A2", "B1": "=nobody", "B2": "=B9", "B3": "007"})
    cells = ("A1", "A2", "A3", "A4", "A9", "B1", "B2", "B3")
    assert [sheet.value(cell) for cell in cells] == [2, 2.5, "two", 4.5, None, "#NAME?", None, 7]
    assert [type(sheet.value(cell)) for cell in ("A1", "A2", "B3")] == [int, float, int]
    assert (sheet.get("A2"), sheet.get("A9")) == ("2.5", "")


def test_changes_show_in_values(ws):
    """What is put into a cell, emptied or defined anew shows in the values that depend on it."""
    sheet = filled(ws, {"A1": "2", "A2": "=A1*10", "A3": "=Total+1", "B1": "5"})
    sheet.define("Total", "A1")
    assert (sheet.value("A2"), sheet.value("A3")) == (20, 3)
    sheet.set("a1", "3")
    assert (sheet.value("A2"), sheet.value("A3")) == (30, 4)
    sheet.define("TOTAL", "B1")
    assert sheet.value("A3") == 6
    for _ in range(2):
        sheet.set("A1", "")
        assert (sheet.get("A1"), sheet.value("A1"), sheet.value("A2")) == ("", None, 0)
    assert list(sheet.cells()) == ["B1", "A2", "A3"]


def test_names_are_checked(ws):
    """What could be mistaken for something else is no name, and only cells and ranges have names."""
    sheet = filled(ws, {"A1": "2"})
    for name, target in (("B2", "A1"), ("2x", "A1"), ("", "A1"), ("x", "A1+1"), ("x", ""), ("x", "y")):
        with raises(ValueError):
            sheet.define(name, target)
    assert sheet.names() == {}
    sheet.define("x", "A1:B2")
    assert sheet.names() == {"x": "A1:B2"}
