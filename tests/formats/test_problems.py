"""Files of function-level problems become suites; what is wrong with them is said with its line."""

import json

import pytest
from problem_files import ALL, EVALPLUS, HUMANEVAL, LCB_FUNCTIONAL, LCB_STDIN, MBPP, MBPP_PLUS, case, jsonl, squeezed

from honestly.errors import FormatError
from honestly.formats import PROBLEMS, problem_format, problem_name, read_problems


@pytest.mark.parametrize("form", ALL)
@pytest.mark.parametrize("name", ["set.jsonl", "set.jsonl.gz"])
def test_each_format_is_seen_from_its_keys(form, name, tmp_path):
    path = jsonl(tmp_path / name, ALL[form])
    assert problem_format(path) == form
    suite = read_problems(path)
    assert suite.name == "set"
    rows = ALL[form]
    assert [problem_name(task.id) for task in suite.tasks] == [
        str(r.get("task_id", r.get("question_id"))) for r in rows
    ]
    for task in suite.tasks:
        assert task.hidden.checks.runner == "grader"
        assert all(check.startswith("check_problem.test_") for check in task.hidden.checks.expected)
    assert read_problems(path).hash == suite.hash


def test_a_json_array_will_do_as_sanitized_mbpp_is_one(tmp_path):
    path = tmp_path / "sanitized-mbpp.json"
    path.write_text(json.dumps([MBPP], indent=2))
    assert [task.id for task in read_problems(path).tasks] == ["7"]


def test_the_format_can_be_named(tmp_path):
    path = jsonl(tmp_path / "p.jsonl", [EVALPLUS])
    assert read_problems(path).tasks[0].hidden.checks.expected == ("check_problem.test_base", "check_problem.test_plus")
    assert read_problems(path, "humaneval").tasks[0].hidden.checks.expected == ("check_problem.test_check",)
    with pytest.raises(FormatError, match="there is no format of problems 'apps'; there are: evalplus, humaneval"):
        read_problems(path, "apps")
    with pytest.raises(FormatError, match=r"p\.jsonl:1: .*missing required field `code`"):
        read_problems(path, "mbpp")
    assert set(PROBLEMS.known_names()) == set(ALL)


def test_a_completion_goes_on_from_what_the_workspace_holds(tmp_path):
    tasks = {form: read_problems(jsonl(tmp_path / form, rows)).tasks[0] for form, rows in ALL.items()}
    assert tasks["humaneval"].workspace.text("solution.py") == HUMANEVAL["prompt"]
    assert tasks["evalplus"].workspace.text("solution.py") == EVALPLUS["prompt"]
    assert tasks["mbpp"].workspace.files == {}
    assert "from typing import *" in tasks["livecodebench"].workspace.text("solution.py")
    whole = HUMANEVAL["prompt"] + HUMANEVAL["canonical_solution"]
    assert tasks["humaneval"].hidden.reference.write.text("solution.py") == whole
    assert tasks["mbpp"].hidden.reference.write.text("solution.py") == MBPP["code"]


def test_the_time_that_a_sample_may_take_is_part_of_the_task(tmp_path):
    path = jsonl(tmp_path / "p.jsonl", [HUMANEVAL])
    assert "seconds=3.0" in read_problems(path).tasks[0].hidden.checks.files.text("check_problem.py")
    slow = read_problems(path, seconds=99.5)
    assert "seconds=99.5" in slow.tasks[0].hidden.checks.files.text("check_problem.py")
    assert slow.tasks[0].hidden.checks.timeout_s > 99.5
    assert slow.hash != read_problems(path).hash


def test_nothing_of_the_hidden_part_is_in_the_public_one(tmp_path):
    for form, rows in ALL.items():
        for task in read_problems(jsonl(tmp_path / form, rows)).tasks:
            assert task.public().hidden is None
            assert "check_problem" not in task.public().instruction


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({**HUMANEVAL, "test": 5}, "Expected `str`, got `int` - at `$.test`"),
        ({k: v for k, v in HUMANEVAL.items() if k != "prompt"}, "missing required field `prompt`"),
        ({**HUMANEVAL, "prompt": "def f():\n    '\ud800'\n"}, "half a surrogate pair"),
        ({**HUMANEVAL, "task_id": ""}, "1 to 200 characters"),
        ({**HUMANEVAL, "task_id": "x" * 201}, "1 to 200 characters"),
        ([1], "expected a JSON object, found list"),
        ("x", "expected a JSON object, found str"),
    ],
)
def test_a_broken_problem_is_named_by_file_and_line(row, words, tmp_path):
    path = jsonl(tmp_path / "p.jsonl", [{**HUMANEVAL, "task_id": "good"}, row])
    with pytest.raises(FormatError) as caught:
        read_problems(path, "humaneval")
    assert str(caught.value).startswith(f"{path}:2: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("form", "row", "words"),
    [
        ("evalplus", {**EVALPLUS, "base_input": [1]}, "`base_input` must contain a list of arguments for each call"),
        ("evalplus", {**EVALPLUS, "plus_input": {"a": 1}}, "`plus_input` must contain a list"),
        ("evalplus", {**EVALPLUS, "atol": float("nan")}, "atol"),
        ("evalplus", {**EVALPLUS, "atol": -1}, "atol"),
        ("mbpp", {**MBPP, "test_list": "assert f()"}, "Expected `array`, got `str` - at `$.test_list`"),
        ("livecodebench", {**LCB_STDIN, "private_test_cases": "~"}, "`private_test_cases`: neither JSON nor base64"),
        ("livecodebench", {**LCB_STDIN, "private_test_cases": "[" * 100_000}, "`private_test_cases`: "),
        ("livecodebench", {**LCB_STDIN, "private_test_cases": squeezed({"a": 1})}, "Expected `array`, got `object`"),
        ("livecodebench", {**LCB_STDIN, "private_test_cases": squeezed([case("1", "1", "shell")])}, "testtype"),
        ("livecodebench", {**LCB_STDIN, "public_test_cases": "[]", "private_test_cases": "[]"}, "found no tests"),
        ("livecodebench", {**LCB_STDIN, "private_test_cases": [case("1", "1", "functional")]}, "tests of one type"),
        ("livecodebench", {**LCB_FUNCTIONAL, "metadata": "{}"}, "`metadata` has no `func_name`"),
        ("livecodebench", {**LCB_FUNCTIONAL, "metadata": "no"}, "`metadata`: "),
        ("livecodebench", {**LCB_FUNCTIONAL, "public_test_cases": [case("[", "1", "functional")]}, "is not JSON"),
    ],
)
def test_each_format_says_what_is_wrong(form, row, words, tmp_path):
    path = jsonl(tmp_path / "p.jsonl", [row])
    with pytest.raises(FormatError) as caught:
        read_problems(path, form)
    assert str(caught.value).startswith(f"{path}:1: ")
    assert words in str(caught.value)


def test_a_problem_that_comes_twice_is_refused_with_both_places(tmp_path):
    path = jsonl(tmp_path / "p.jsonl", [HUMANEVAL, {**HUMANEVAL, "task_id": "other"}, HUMANEVAL])
    with pytest.raises(FormatError, match=r"p\.jsonl:3: the problem 'Small/0' is already at .*p\.jsonl:1"):
        read_problems(path)


def test_a_file_in_no_format_says_which_keys_were_expected(tmp_path):
    path = jsonl(tmp_path / "p.jsonl", [{"id": 1, "question": "?"}])
    with pytest.raises(FormatError, match=r"its keys are: 'id', 'question'.*humaneval: entry_point, prompt"):
        read_problems(path)
    (tmp_path / "empty.jsonl").write_text("\n\n")
    with pytest.raises(FormatError, match="contains no problems"):
        read_problems(tmp_path / "empty.jsonl")


def test_code_in_a_problems_fields_stays_text(tmp_path):
    """Names and numbers of a hostile problem are quoted where the check module is generated."""
    row = {**HUMANEVAL, "entry_point": '"); import os; os.abort(); ("'}
    text = read_problems(jsonl(tmp_path / "p.jsonl", [row])).tasks[0].hidden.checks.files.text("check_problem.py")
    compile(text, "check_problem.py", "exec")
    assert "\nimport os" not in text
    assert repr(row["entry_point"]) in text


def test_large_inputs_are_kept_compressed(tmp_path):
    row = {**EVALPLUS, "plus_input": [[list(range(1000))] for _ in range(500)]}
    files = read_problems(jsonl(tmp_path / "p.jsonl", [row])).tasks[0].hidden.checks.files.files
    assert "plus.json.z" in files
    assert sum(len(file.data) for file in files.values()) < 100_000


def test_mbpp_plus_without_added_inputs_has_no_plus_check(tmp_path):
    row = {**MBPP_PLUS, "plus_input": {}}
    task = read_problems(jsonl(tmp_path / "p.jsonl", [row])).tasks[0]
    assert task.hidden.checks.expected == ("check_problem.test_base",)
