"""Reading samples, finding the program in an answer, and keeping verdicts."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from honestly.errors import FormatError
from honestly.languages import (
    Drawn,
    ProgramResults,
    ProgramRun,
    ProgramSample,
    load_puzzles,
    missing_samples,
    read_programs,
)
from honestly.languages._samples import code_of

PUZZLES = load_puzzles()
LINE = {"language": "python", "puzzle": "griffins", "model": "m", "sample": 0, "code": "print(1)"}


def written(tmp_path, *rows):
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


@pytest.mark.parametrize(
    ("text", "language", "code"),
    [
        ("Here:\n```python\nprint(1)\n```\nDone.", "python", "print(1)\n"),
        ("```py\nprint(1)\n```\n```python\nprint(1)\nprint(2)\n```", "python", "print(1)\nprint(2)\n"),
        ("```\nprint(1)\n```", "python", "print(1)\n"),
        ("```rust\nfn main() {}\n```\n```\nprint(1)\n```", "python", "print(1)\n"),
        ("```rust\nfn main() {}\n```", "python", None),
        ("```hack\n<?hh\n```", "php", "<?hh\n"),
        ("print(1)", "python", None),
        ("I cannot do that.", "c", None),
        ("```c++\nint main() {}\n```", "cpp", "int main() {}\n"),
        ("```c\nint main() {", "c", "int main() {"),
        ("```python\n\n```", "python", None),
    ],
)
def test_the_program_in_an_answer(text, language, code):
    assert code_of(text, language) == code


def test_samples_are_read_with_what_they_say(tmp_path):
    path = written(
        tmp_path, LINE, {**LINE, "sample": 1, "code": None, "text": "no", "tokens": 7}, "", {**LINE, "language": "c"}
    )
    first, second = read_programs(path, PUZZLES, ["python"])
    assert first == ProgramSample(language="python", puzzle="griffins", model="m", sample=0, code="print(1)")
    assert (second.code, second.tokens) == (None, 7)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", "line 1: not JSON"),
        ("[" * 100_000, "line 1: not JSON"),
        ("[]", "expected an object, found list"),
        ({**LINE, "language": "cobol"}, "language is 'cobol'; expected one of python"),
        ({**LINE, "puzzle": 7}, "puzzle is '7'"),
        ({**LINE, "sample": -1}, "sample is -1"),
        ({**LINE, "code": None}, "neither text nor code"),
        ({**LINE, "code": "x" * 300_000}, "300,000 characters"),
    ],
)
def test_lines_that_are_no_samples(tmp_path, row, message):
    with pytest.raises(FormatError, match=message):
        read_programs(written(tmp_path, row), PUZZLES, ["python"])


def test_the_same_sample_twice_is_refused(tmp_path):
    with pytest.raises(FormatError, match="line 2: sample 0 of python/griffins/m appears twice"):
        read_programs(written(tmp_path, LINE, LINE), PUZZLES, ["python"])


def test_what_is_missing_is_asked_round_by_round():
    have = [ProgramSample(language="c", puzzle="a", model="m", sample=0, code="")]
    assert missing_samples(have, "m", ["c", "go"], ["a"], 2) == [("go", "a", 0), ("c", "a", 1), ("go", "a", 1)]
    assert len(missing_samples(have, "other", ["c"], ["a"], 1)) == 1


def test_verdicts_are_kept_and_a_line_that_was_cut_off_is_forgotten(tmp_path):
    path, sample = tmp_path / "results.jsonl", ProgramSample(language="c", puzzle="a", model="m", sample=0, code="x")
    with ProgramResults(path) as results:
        results.add("k1", sample, ProgramRun("compile", "error: \udcff ü", seconds=1.5))
        results.add("k2", sample, ProgramRun("passed"))
    whole = path.read_text()
    path.write_text(whole[:-20])
    with ProgramResults(path) as results:
        assert set(results.known) == {"k1"}
        results.add("k3", sample, ProgramRun("time", case=3))
    with ProgramResults(path) as results:
        assert set(results.known) == {"k1", "k3"}
        assert results.known["k1"].stage == "compile"


@pytest.mark.parametrize("row", [LINE, "a note", {"key": "k"}])
def test_somebody_elses_file_is_never_added_to(tmp_path, row):
    path = written(tmp_path, row)
    before = path.read_bytes()
    with pytest.raises(FormatError, match="not a verdict of honestly bench languages"):
        ProgramResults(path)
    assert path.read_bytes() == before


@given(st.text(alphabet="`~ \n\\x1bpythonC+#-é\u2028", max_size=200))
def test_any_text_holds_a_program_of_its_own_letters_or_none(text):
    code = code_of(text, "python")
    assert code is None or (code in text and code.strip())


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.dictionaries(st.sampled_from(list(LINE)), inner),
    )
)
def test_any_line_is_a_sample_or_refused(tmp_path_factory, row):
    path = tmp_path_factory.mktemp("lines") / "samples.jsonl"
    path.write_text(json.dumps({**LINE, **row} if isinstance(row, dict) else row))
    with suppress(FormatError):
        assert len(read_programs(path, PUZZLES, ["python", "c"])) <= 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("~~~python\nright\n~~~\n", "right\n"),
        ("````py\na = '''\n```\n'''\n````", "a = '''\n```\n'''\n"),
        ("<think>```python\nwrong, and longer\n```</think>\n```python\nright\n```", "right\n"),
        ("plan: ```python\nwrong, and longer\n```</think>```py\nright\n```", "right\n"),
        ("<think>```python\nnever ended\n```", None),
        ("1. So:\n\n   ```python\n   if x:\n       y\n   ```\n", "if x:\n    y\n"),
        ("- So:\n    - then\n\n      ~~~py\n      right\n      ~~~\n\nand ```python\n", "right\n"),
        ('```python\ns = """\n    ```\n    """\n```\n', 's = """\n    ```\n    """\n'),
        ("<reasoning>\n```python\nwrong, and longer\n```\n</reasoning>\n```python\nright\n```", "right\n"),
        ("◁think▷\n```python\nwrong, and longer\n```\n◁/think▷\n```python\nright\n```", "right\n"),
        (
            "<|channel|>analysis<|message|>\n```py\nwrong, and longer\n```\n<|channel|>final<|message|>\n```py\nright\n```",
            "right\n",
        ),
    ],
)
def test_thoughts_hold_no_program_and_any_fence_does(text, code):
    assert code_of(text, "python") == code


def test_how_samples_were_drawn_is_read(tmp_path):
    row = {
        "language": "python",
        "puzzle": "griffins",
        "model": "m",
        "sample": 3,
        "code": "x",
        "temperature": 0.5,
        "seed": 10,
    }
    (tmp_path / "s.jsonl").write_text(json.dumps(row))
    (found,) = read_programs(tmp_path / "s.jsonl", PUZZLES, ["python"])
    assert found.drawn == Drawn(temperature=0.5, seed=7)
    assert str(found.drawn) == "temperature 0.5, seeds from 7"
