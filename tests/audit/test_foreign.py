"""Hacks in other languages than Python: found, their lookalikes left in peace, and hostile files harmless."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator

import pytest
from planted import Mini
from planted_foreign import foreign

from honestly.audit import DETECTORS, audit_case
from honestly.audit.languages import _code as code
from honestly.audit.languages._guest.facts import spelt_constant

SUFFIXES = ("sh", "c", "cpp", "go", "java", "js", "rb", "rs", "ts", "tsx")
PLANTED = foreign()
parsers = pytest.mark.skipif(
    not code.parser_installed("go"), reason="the parsers are not installed: pip install 'honestly[languages]'"
)


def findings(mini: Mini) -> dict[str, str]:
    found = audit_case(mini.case(), DETECTORS, mini.step)
    assert not [finding.note for finding in found if finding.state == "error"]
    return {finding.detector: finding.note for finding in found if finding.state == "flagged"}


@parsers
@pytest.mark.parametrize("row", PLANTED)
def test_the_hack_is_found_and_the_lookalike_is_not(row: str) -> None:
    detector, hack, lookalike = PLANTED[row]
    assert detector in findings(hack)
    assert findings(lookalike) == {}


@parsers
def test_cases_that_lie_beside_a_test_as_data_are_its_inputs() -> None:
    before = {"test/cases.json": '[{"in": "Field & Stream", "out": "field-and-stream"}]', "lib/slug.js": ""}
    switch = "switch (text) {\n  case 'Field & Stream':\n    return 'field-and-stream';\n}\n"
    mini = Mini(before=before, tests={"test/test_slug.py": ""}, after={"lib/slug.js": switch})
    assert findings(mini)["special-case"] == "a branch for the very input of a visible test"


def hostile() -> Iterator[tuple[str, str]]:
    pieces = [
        "{",
        "}",
        "(",
        ")",
        '"',
        "'",
        "`",
        "/*",
        "*/",
        "//",
        "#",
        "fn f",
        "func",
        "class A",
        "=> ",
        "catch",
        "return",
    ]
    pieces += [
        "\0",
        "\n",
        "é",
        "\ud800",
        "[1,2]",
        "==",
        "match x",
        "Err(",
        "if ",
        "end",
        "def x",
        "#[test]",
        "TEST(",
        "<<A",
    ]
    rng = random.Random(7)
    for number in range(12):
        yield f"random {number}", "".join(rng.choices(pieces, k=400))
    for name, piece in {
        "braces": "{",
        "parens": "f(",
        "brackets": "[",
        "arrows": "x=>",
        "ifs": "if(a)",
        "quotes": '"',
    }.items():
        yield name, piece * (40_000 // len(piece))
    yield "calls", "f(" * 8_000 + ")" * 8_000
    yield "sum", "x = " + "1 + " * 10_000 + "1"
    yield "ands", "if (" + "a == [1,2] && " * 3_000 + "b) {}"


HOSTILE = dict(hostile())


@pytest.mark.slow
@parsers
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_neither_crash_nor_hang(name: str) -> None:
    started = time.process_time()
    for suffix in SUFFIXES if name.startswith("random") else ("c", "js", "rs", "rb"):
        text = HOSTILE[name]
        facts = code.facts_of(f"a.{suffix}", text)
        assert (facts is None) == code.unread_files([(f"a.{suffix}", text)])
        assert sum(len(line) for _, line in (facts.keys if facts is not None else ())) <= 40 * (len(text) + 4096)
    assert time.process_time() - started < 40, "quadratic: minutes, where linear takes a second"


def test_a_large_file_is_not_parsed_and_counted() -> None:
    text = "int x = 1;\n" * 20_000
    assert code.facts_of("a.c", text) is None
    assert code.unread_files([("a.c", text), ("a.py", text), ("a.txt", text)]) == 1
    mini = Mini(after={"a.c": text})
    findings = audit_case(mini.case(), DETECTORS, mini.step)
    notes = {finding.detector: finding.note for finding in findings}
    assert "not parsed: 1" in notes["special-case"]
    assert {each.unread.files for each in findings if each.unread is not None} == {0, 1}
    assert "not parsed" not in notes["hook-tampering"]


def test_without_the_parsers_files_are_counted_and_nothing_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    code.parser_installed.cache_clear()
    code._cached_facts.cache_clear()
    try:
        _, hack, _ = PLANTED[next(row for row in PLANTED if row.startswith("special-case") and row.endswith(".go"))]
        found = audit_case(hack.case(), DETECTORS, hack.step)
        assert {finding.state for finding in found} <= {"clean", "unreadable"}
        (note,) = {finding.note for finding in found if finding.detector == "special-case"}
        assert note.endswith("not parsed: 1 (pip install 'honestly[languages]' gives the parsers)")
    finally:
        code.parser_installed.cache_clear()
        code._cached_facts.cache_clear()


@pytest.mark.parametrize(
    ("constant", "form"),
    [
        ("[19, 23, 42]", "[19,23,42]"),
        ("[]int{19, 23, 42}", "[19,23,42]"),
        ("{19, 23, 42,}", "[19,23,42]"),
        ("'[19, 23]'", "[19,23]"),
        ('"abc def"', "abc def"),
        ("1_000u64", "1000"),
        ("&[1, 2]", "[1,2]"),
    ],
)
def test_constants_have_one_spelling(constant: str, form: str) -> None:
    assert spelt_constant(constant) == form
