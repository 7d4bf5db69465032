"""Styles of ManyIH's coding samples: each agrees with one program that keeps it and one that does not."""

import json
from pathlib import Path

import pytest

from honestly.errors import FormatError
from honestly.guard import manyih_suite
from honestly.guard._styles import STYLES, broken_styles

SAMPLES = Path(__file__).parents[2].parent / "shared" / "data" / "guard" / "manyih" / "coding.jsonl"
PLAIN = "def f(first, second):\n    total = first + second\n    return total\n"
DOC = 'def f(a):\n    """{}"""\n    return a\n'
KEPT_AND_BROKEN = {
    "doc_none": (PLAIN, DOC.format("Says a.")),
    "doc_oneline": (DOC.format("Says a."), DOC.format("Says a.\n\n    More.\n    ")),
    "doc_required": (DOC.format("Says a."), DOC.format("Says a.") + PLAIN),
    "indent_2": ("def f(a):\n  if a:\n    return 1\n  return 2\n", "def f(a):\n  if a:\n      return 1\n  return 2\n"),
    "indent_4": (PLAIN, "def f(a):\n  return a\n"),
    "indent_spaces": ("def f(a):\n   return a\n", "def f(a):\n\treturn a\n"),
    "indent_tab": ("def f(a):\n\tif a:\n\t\treturn 1\n", "def f(a):\n\tif a:\n\t    return 1\n"),
    "blank_internal_none": (PLAIN, "def f(a):\n    b = a\n\n    return b\n"),
    "blank_internal_one": (
        'def f(a):\n    b = """\n\n"""\n\n    return b\n',
        "def f(a):\n\n    b = a\n\n    return b\n",
    ),
    "blank_internal_required": ("def f(a):\n\n    b = a\n\n    return b\n", PLAIN),
    "license_apache": ("# Licensed under the Apache License, Version 2.0\n" + PLAIN, "# MIT License\n" + PLAIN),
    "license_mit": ('"""MIT License\n\nCopyright\n"""\n' + PLAIN, PLAIN),
    "license_none": (PLAIN + "# limit\n", "# License: see LICENSE\n" + PLAIN),
    "line_120": ("x = 1  # " + "a" * 100 + "\n", "x = 1  # " + "a" * 120 + "\n"),
    "line_79": (PLAIN, "x = 1  # " + "a" * 75 + "\n"),
    "naming_camel": ("def f(firstOne):\n    theSum = firstOne\n", "def f(first_one):\n    return first_one\n"),
    "naming_consonant_start": ("total = 1\n", "answer = 1\n"),
    "naming_snake": ("def f(first_one):\n    the_sum = first_one\n", "def f(a):\n    theSum = a\n"),
    "op_space_arithmetic": ("x=1 + -2\ny=(x + 1) * x[1:2] == 3\n", "x = 1+2\n"),
    "op_space_around": ("x = 1 + 2\nx += f(a=1)\ny: int = x >= 2\n", "x = 1 + 2\nx+=1\n"),
    "op_space_minimal": ("x = 1+2\ny = x*(x-1)\n", "x = 1 + 2\n"),
    "op_space_none": ("x=1+2\nx+=1\ny=x>=2\n", "x=1 +2\n"),
    "quotes_docstring_triple_double": (DOC.format("A."), "def f(a):\n    '''A.'''\n    return a\n"),
    "quotes_double": ("def f(a):\n    '''A.'''\n    return f\"{a}\" + \"b\"\n", "x = 'a'\n"),
    "quotes_single": ('def f(a):\n    """A."""\n    return \'b\' + r\'c\'\n', 'x = "a"\n'),
    "return_direct": ("def f(a):\n    b = a\n    b += 1\n    return b\n", PLAIN),
    "return_variable": (PLAIN, "def f(a):\n    return a + 1\n"),
    "return_explicit_none": (
        "def f(a):\n    if a:\n        return 1\n    return None\n",
        "def f(a):\n    if a:\n        return 1\n",
    ),
    "singleton_eq": ("x = y == None\n", "x = y is None\n"),
    "singleton_is": ("x = y is not None and not z\n", "x = y == True\n"),
    "singleton_variable_first": ("x = y is None\n", "x = None is y\n"),
    "singleton_yoda": ("x = None is y\n", "x = y is None\n"),
    "types_args_only": ("def f(a: int):\n    return a\n", "def f(a: int) -> int:\n    return a\n"),
    "types_args_required": ("def f(self, a: int) -> int:\n    return a\n", "def f(a: int, b):\n    return a\n"),
    "types_full": ("def f(*a: int) -> int:\n    return 1\n", "def f(a: int):\n    return a\n"),
    "types_none": (PLAIN, "def f(a):\n    b: int = a\n    return b\n"),
    "var_max2": ("for ab in x:\n    b = ab\n", "for abc in x:\n    pass\n"),
    "var_min3": ("abc = 1\n", "ab = 1\n"),
    "var_min5": ("total = 1\n", "some = 1\n"),
    "var_single": ("a = [b for b in c]\n", "a = [bb for bb in c]\n"),
}


@pytest.mark.parametrize("style", KEPT_AND_BROKEN)
def test_a_style_is_kept_by_one_program_and_not_by_another(style):
    kept, broken = KEPT_AND_BROKEN[style]
    assert (broken_styles(kept, [style]), broken_styles(broken, [style])) == ([], [style])


def test_every_style_has_its_programs():
    assert {*KEPT_AND_BROKEN} == {*STYLES} - {"line_unlimited"}
    assert broken_styles("def (", ["indent_4"]) == ["indent_4"]
    assert broken_styles("x = " + "1" * 500, ["line_unlimited"]) == []


def test_what_is_no_sample_is_named(tmp_path):
    for number, text in enumerate(
        ("{}", "[", '{"id": 1, "prompt": "p", "test_code": "f()", "metadata": {"expected_styles": {"a": ["b"]}}}')
    ):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(text)
        with pytest.raises(FormatError, match=r"jsonl:1"):
            manyih_suite(path)


def test_the_samples_are_a_suite():
    if not SAMPLES.exists():
        pytest.skip(f"{SAMPLES} is not there")
    suite = manyih_suite(SAMPLES)
    assert len(suite.tasks) == len(SAMPLES.read_text().splitlines()) == 80
    row = json.loads(SAMPLES.read_text().splitlines()[0])
    assert row["prompt"] in suite.tasks[0].instruction
