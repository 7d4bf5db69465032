"""Summaries of test frameworks: real outputs, each with what must be found in it, and hostile ones.

The first line of a file says what it is, where it comes from, and the results that are in the rest of it.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from honestly.audit.reading._grammars import pattern_of
from honestly.audit.reading._grammars_compiled import COMPILED
from honestly.audit.reading._grammars_scripted import SCRIPTED
from honestly.audit.reading._results import results_in

FILES = sorted((Path(__file__).parent / "results").glob("*.txt"))
GRAMMARS = (*SCRIPTED, *COMPILED)
NOISE = re.compile(r"\x1b\[\d*m|\r")
TEXTS = {path.stem: path.read_text().split("\n", 1) for path in FILES}


def said(text: str) -> list[dict[str, object]]:
    found = [result._asdict() for result in results_in(text)]
    return [
        {key: list(value) if key == "failures" else value for key, value in each.items() if key not in {"start", "end"}}
        for each in found
    ]


@pytest.mark.parametrize("name", TEXTS)
def test_what_a_framework_said_is_found(name: str) -> None:
    head, text = TEXTS[name]
    assert said(text) == json.loads(head.removeprefix("# "))["results"]


@pytest.mark.parametrize("name", TEXTS)
def test_colours_and_line_ends_of_a_terminal_change_nothing(name: str) -> None:
    _, text = TEXTS[name]
    coloured = "\r\n".join(f"\x1b[32m{line}\x1b[0m" for line in text.split("\n"))
    assert said(coloured) == said(text)
    ends = [coloured[each.start : each.end] for each in results_in(coloured)]
    plain = [text[each.start : each.end] for each in results_in(text)]
    assert [NOISE.sub("", each).strip() for each in ends] == [NOISE.sub("", each).strip() for each in plain]


@pytest.mark.parametrize("name", TEXTS)
def test_a_summary_in_a_program_is_none(name: str) -> None:
    _, text = TEXTS[name]
    for before, after in [('    x = "', '"'), ("# # ", ""), ("+", ""), ("  12  ", ""), ("> ", "")]:
        assert said("\n".join(f"{before}{line}{after}" for line in text.split("\n"))) == []
    assert said(f'import re\nTEXT = """\n{text}\n"""\nprint(TEXT)\n') == [] or '"""' in text


@pytest.mark.parametrize(
    "text", ["", "\n", "OK, done\n", "3 passed the exam in May", "all tests passed", "ok\n", "PASS"]
)
def test_other_words_say_nothing(text: str) -> None:
    assert results_in(text) == ()


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([line for _, text in TEXTS.values() for line in text.split("\n")]), st.text(max_size=30)
        ),
        max_size=60,
    )
)
def test_any_mixture_of_lines_is_read(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = results_in(text)
    assert [each.start for each in found] == sorted(each.start for each in found)
    assert all(0 <= each.start < each.end <= len(text) for each in found)
    assert all(each.ok is not True or not (each.failed or each.errors or each.failures) for each in found)
    assert all(each.ok is not True or each.ran != 0 for each in found)


HOSTILE = {
    "blanks": " " * (1 << 20),
    "returns": "\r" * (1 << 20),
    "escapes": "\x1b[" * (1 << 19),
    "bars": "=" * (1 << 20),
    "digits": "1" * (1 << 20),
    "quotes": '"""' * (1 << 18),
    "every line of every file": "\n".join(text for _, text in TEXTS.values()) * 4,
} | {
    f"{grammar.framework}, {word!r}": (f"{word} 1 1, " * (1 << 17))[: 1 << 20]
    for grammar in GRAMMARS
    for word in pattern_of(grammar.summary).required_words[:1]
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    started = time.process_time()
    results_in(HOSTILE[name])
    results_in("\n".join([HOSTILE[name][:9]] * (1 << 16)))
    assert time.process_time() - started < 20, "quadratic: minutes, where linear takes a second"
