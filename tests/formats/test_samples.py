"""Samples in every shape that people write them in, as trees of one file."""

import json

import pytest
from hypothesis import given, strategies as st
from problem_files import ALL, EVALPLUS, HUMANEVAL, LCB_FUNCTIONAL, MBPP, jsonl, refusal

from honestly.errors import FormatError
from honestly.formats import read_problems, read_samples
from honestly.records import Suite, Tree
from honestly.tasks import make_task


@pytest.fixture(scope="module")
def suites(tmp_path_factory):
    folder = tmp_path_factory.mktemp("problems")
    return {form: read_problems(jsonl(folder / f"{form}.jsonl", rows)) for form, rows in ALL.items()}


def solutions(path, suite):
    return [(s.problem, s.number, s.tree.text("solution.py")) for s in read_samples(path, suite)]


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz"])
def test_completions_go_on_and_solutions_stand_for_themselves(suites, name, tmp_path):
    rows = [
        {"task_id": "Small/0", "completion": "    return 1\n"},
        {"task_id": "Small/0", "solution": "x = 1\n"},
        {"task_id": "Small/0", "completion": "    return 2\n", "solution": None, "model": "m"},
    ]
    path = jsonl(tmp_path / name, rows)
    assert solutions(path, suites["humaneval"]) == [
        ("Small/0", 0, HUMANEVAL["prompt"] + "    return 1\n"),
        ("Small/0", 1, "x = 1\n"),
        ("Small/0", 2, HUMANEVAL["prompt"] + "    return 2\n"),
    ]
    assert [sample.row for sample in read_samples(path, suites["humaneval"])] == rows


def test_mbpp_numbers_its_problems(suites, tmp_path):
    path = jsonl(tmp_path / "s.jsonl", [{"task_id": 7, "completion": MBPP["code"]}, {"task_id": "8", "solution": ""}])
    assert solutions(path, suites["mbpp"]) == [("7", 0, MBPP["code"]), ("8", 0, "")]


def test_livecodebench_lists_codes_and_puts_imports_before_them(suites, tmp_path):
    path = tmp_path / "output.json"
    row = {"question_id": LCB_FUNCTIONAL["question_id"], "code_list": ["a = 1", "b = 2"], "output_list": ["", ""]}
    path.write_text(json.dumps([row]))
    found = solutions(path, suites["livecodebench"])
    assert [(name, number) for name, number, _ in found] == [("3000", 0), ("3000", 1)]
    assert found[0][2].startswith("from string import *\n")
    assert found[0][2].endswith("sys.setrecursionlimit(50000)\na = 1")
    assert [sample.row for sample in read_samples(path, suites["livecodebench"])] == [
        {"question_id": "3000", "code": "a = 1"},
        {"question_id": "3000", "code": "b = 2"},
    ]
    stdin, functional = suites["livecodebench"].tasks
    kinds = {s.task.id: s.is_program for s in read_samples(jsonl(tmp_path / "s.jsonl", [
        {"question_id": "sum_a", "code_list": [""]}, {"question_id": "3000", "code_list": [""]},
    ]), suites["livecodebench"])}  # fmt: skip
    assert kinds == {stdin.id: True, functional.id: False}


def test_evalplus_writes_directories(suites, tmp_path):
    folder = tmp_path / "samples"
    for number in (0, 2, 10):
        (folder / "HumanEval_901").mkdir(parents=True, exist_ok=True)
        (folder / "HumanEval_901" / f"{number}.py").write_text(f"n = {number}\n")
    (folder / "HumanEval_901" / "notes.txt").write_text("no sample")
    (folder / "Mbpp_2").mkdir()
    (folder / "Mbpp_2" / "0.py").write_bytes(b"\xff")
    (folder / "results.json").write_text("{}")
    found = list(read_samples(folder, suites["evalplus"]))
    assert [(s.problem, s.number) for s in found] == [
        ("HumanEval/901", 0),
        ("HumanEval/901", 1),
        ("HumanEval/901", 2),
        ("Mbpp/2", 0),
    ]
    assert [s.code for s in found[:3]] == ["n = 0\n", "n = 2\n", "n = 10\n"]
    assert found[0].row == {"task_id": "HumanEval/901", "solution": "n = 0\n"}
    (folder / "HumanEval_7").mkdir()
    (folder / "HumanEval_7" / "0.py").touch()
    with pytest.raises(FormatError, match="there is no problem 'HumanEval_7'"):
        list(read_samples(folder, suites["evalplus"]))


def test_links_in_a_directory_are_not_followed(suites, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("password")
    folder = tmp_path / "samples" / "HumanEval_901"
    folder.mkdir(parents=True)
    (folder / "0.py").symlink_to(secret)
    assert list(read_samples(tmp_path / "samples", suites["evalplus"])) == []


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            {"task_id": "Small/1", "completion": ""},
            "there is no problem 'Small/1' in humaneval; its problems are: Small/0",
        ),
        ({"completion": ""}, "a sample must name its problem: `task_id`, `question_id`"),
        ({"task_id": ["Small/0"], "completion": ""}, "a sample must name its problem"),
        ({"task_id": "Small/0"}, "a sample needs text as `completion`, `solution`, `code_list`"),
        ({"task_id": "Small/0", "completion": 3}, "a sample needs text"),
        ({"task_id": "Small/0", "code_list": "x"}, "`code_list` must be a list of texts"),
        ({"task_id": "Small/0", "code_list": ["x", 1]}, "`code_list` must be a list of texts"),
    ],
)
def test_a_broken_sample_is_named_by_file_and_line(suites, row, words, tmp_path):
    path = jsonl(tmp_path / "s.jsonl", [{"task_id": "Small/0", "completion": ""}, row])
    with pytest.raises(FormatError) as caught:
        list(read_samples(path, suites["humaneval"]))
    assert str(caught.value).startswith(f"{path}:2: ")
    assert words in str(caught.value)


def test_what_is_no_text_is_a_sample_like_any_other(suites, tmp_path):
    path = jsonl(tmp_path / "s.jsonl", [{"task_id": "Small/0", "completion": "    return '\ud800\0'"}])
    (sample,) = read_samples(path, suites["humaneval"])
    assert sample.tree.files["solution.py"].data.endswith(b"return '\xed\xa0\x80\0'")


def test_samples_are_read_one_at_a_time(suites, tmp_path):
    path = tmp_path / "s.jsonl"
    jsonl(path, [{"task_id": "Small/0", "completion": ""}])
    with path.open("a") as file:
        file.write("not JSON\n")
    reader = read_samples(path, suites["humaneval"])
    assert next(reader).number == 0
    with pytest.raises(FormatError, match=r":2: not JSON"):
        next(reader)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(sorted({key for rows in ALL.values() for row in rows for key in row} | {"x"}))


@given(st.sampled_from(sorted(ALL)), st.integers(0, 1), st.dictionaries(KEYS, JSON, max_size=3), st.booleans())
def test_any_changed_problem_is_a_suite_or_a_format_error(tmp_path_factory, form, which, changes, named):
    rows = ALL[form]
    path = jsonl(tmp_path_factory.mktemp("fuzz") / "p.jsonl", [{**rows[which % len(rows)], **changes}])
    said = refusal(read_problems, path, form if named else None)
    if said is not None:
        assert said.startswith(str(path))
        return
    suite = read_problems(path, form if named else None)
    assert len(suite.hash) == 32
    for task in suite.tasks:
        compile(task.hidden.checks.files.text("check_problem.py"), "check_problem.py", "exec")


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["task_id", "completion", "solution", "code_list", "x"]), JSON), max_size=3
    )
)
def test_any_sample_is_a_tree_or_a_format_error(suites, tmp_path_factory, rows):
    path = jsonl(tmp_path_factory.mktemp("fuzz") / "s.jsonl", [{"task_id": "HumanEval/901", **row} for row in rows])
    said = refusal(lambda: list(read_samples(path, suites["evalplus"])))
    if said is not None:
        assert said.startswith(str(path))
        return
    found = list(read_samples(path, suites["evalplus"]))
    assert all(len(sample.tree.hash) == 32 and sample.problem == EVALPLUS["task_id"] for sample in found)


def test_a_patch_that_does_not_fit_says_why(tmp_path):
    task = make_task("add", "Add.", {"a.py": "x = 1\n"}, hidden={"check_a.py": "def test_a(ws): ..."}, reference={})
    fits = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    patches = [
        fits,
        fits.replace("x = 1", "y = 1"),
        fits.replace("b/a.py", "b/../../a.py").replace("a/a.py", "a/../../a.py"),
        None,
    ]
    rows = [{"instance_id": "add", "model_patch": patch} for patch in patches]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = list(read_samples(tmp_path / "s.jsonl", Suite(name="s", version="1", tasks=(task,))))
    assert [bool(each.unfit) for each in found] == [False, True, True, False]
    assert found[0].tree.text("a.py") == "x = 2\n"
    assert found[1].tree == found[2].tree == Tree()
