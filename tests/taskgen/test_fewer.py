"""Fewer tests where all would take too long: which ones they are, and that the task says so."""

import json

import pytest
from histories import History
from test_from_commit import make
from test_from_languages import GO, GO_MENDED, GOLANG, NOBODY

from honestly.records import Tree
from honestly.taskgen._fewer import fewer_tests, nearest_files
from honestly.taskgen._languages import Go, JavaScript, hidden_checks, visible_checks
from honestly.taskgen._measured import Way, _slow_tests, _starts_slowly
from honestly.verify import SeenTests

PYTHON = (
    "import pytest\nfrom keys import cut, wide\n\nCASES = [1, 2]\n\n\nclass TestCut:\n    def test_cut(self):\n"
    "        assert cut(4) == 2\n\n\n@pytest.mark.parametrize('case', CASES)\ndef test_cases(case):\n    assert case\n"
    "\n\ndef test_wide():\n    assert wide()\n\n\ndef test_one():\n    assert 1\n\n\ndef test_two():\n    assert 2\n"
)
KEYS = "def cut(n):\n    return n // 2\n\n\ndef wide():\n    return True\n"


def chosen(before, after, touched, path, language=None, slow=()):
    return [some.get(path, []) for some in fewer_tests(before, after, touched, [path], language, slow)]


def test_of_python_those_that_a_commit_changes_and_those_that_name_what_it_changes():
    before = Tree.of({"keys.py": KEYS, "test_keys.py": PYTHON})
    mended = KEYS.replace("    return n // 2", "    if n < 0:\n        raise ValueError\n    return n // 2")
    new = PYTHON + "\n\ndef test_low():\n    assert 3\n"
    after = Tree.of({"keys.py": mended, "test_keys.py": new})
    assert chosen(before, after, ("test_keys.py",), "test_keys.py") == [["test_low", "TestCut::test_cut"], ["test_low"]]
    tables = Tree.of({"keys.py": mended, "test_keys.py": PYTHON.replace("[1, 2]", "[1, 2, 3]")})
    assert chosen(before, tables, ("test_keys.py",), "test_keys.py")[-1] == ["test_cases"]
    slow = chosen(before, after, ("test_keys.py",), "test_keys.py", slow=["test_keys.py::test_wide", "x::test_low"])
    assert slow[0] == ["test_cases", "test_one", "test_two", "test_low", "TestCut::test_cut"]


def test_of_helpers_what_a_test_names_of_them_counts_as_changed():
    before = Tree.of({"keys.py": KEYS, "test_keys.py": PYTHON + "\n\ndef test_h():\n    made()\n", "tests/h.py": ""})
    after = Tree.of({"tests/h.py": "def made():\n    return 1\n"}).over(before)
    assert chosen(before, after, ("tests/h.py",), "test_keys.py") == [["test_h"]]


@pytest.mark.parametrize("text", ["", "def test(:\n", "import os\n"])
def test_files_without_tests_that_can_be_chosen_leave_no_choice(text):
    before, after = Tree.of({"test_a.py": ""}), Tree.of({"test_a.py": text, "a.py": "def cut(): 1\n"})
    assert chosen(before, after, ("test_a.py",), "test_a.py") == []


def test_of_go_functions_are_chosen_by_name():
    more = GO["shares_test.go"] + "\n\nfunc TestOther(t *testing.T) {}\n\nfunc helper() {}\n"
    before = Tree.of({**GO, "shares_test.go": more})
    after = Tree.of({"shares.go": GO_MENDED, "shares_test.go": GOLANG.with_test("Nobody", NOBODY["go"][0])})
    assert chosen(before, after.over(before), ("shares_test.go",), "shares_test.go", Go())[-1] == ["TestNobody"]
    some = {"shares_test.go": ["TestNobody", "TestEqual"]}
    assert "-run=^(?:TestNobody|TestEqual)$" in visible_checks(Go(), before, 60, some).command
    orders = json.loads(hidden_checks(Go(), before, (), 60, chosen=some).files.text("orders.json"))
    assert orders["argv"][-1] == "-run=^(?:TestNobody|TestEqual)$"


def test_of_javascript_tests_are_chosen_by_titles():
    old = "it('is (1)', () => { f(1) })\nit.each([2])(`of ${x}`, (x) => { f(x) })\n"
    before = Tree.of({"package.json": '{"scripts": {"test": "jest"}}', "f.js": "", "f.test.js": old})
    after = Tree.of({"f.test.js": old.replace("f(x)", "g(x)")}).over(before)
    assert chosen(before, after, ("f.test.js",), "f.test.js", JavaScript()) == [["of .*"]]
    checks = hidden_checks(JavaScript(), after, (), 60, chosen={"f.test.js": ["is \\(1\\)", "of .*"]})
    assert "--testNamePattern=(?:is \\(1\\)|of .*)$" in json.loads(checks.files.text("orders.json"))["argv"]
    mocha = Tree.of({"package.json": '{"scripts": {"test": "mocha"}}'}).over(before)
    assert "--grep=(?:a)$" in visible_checks(JavaScript(), mocha, 60, {"f.test.js": ["a"]}).command


def test_the_slowest_tests_are_left_out_until_the_others_fit():
    def way(note, took):
        checks = hidden_checks(Go(), Tree.of(GO), (), 60)
        return Way(SeenTests({}, note, timed_out=False, whole=True), checks, "", took)

    def slow(note, took):
        return _slow_tests(way(note, took), 90.0)

    said = 'ok\nslowest: [["p::TestA", 6.0], ["p::TestB/x", 4.5], ["p::TestC", 0.1]]\nPASS'
    assert slow(said, 12.0) == ["p::TestA", "p::TestB/x"]
    assert slow(said, 8.0) == ["p::TestA"]
    assert slow(said, 40.0) == []  # what takes long is something else
    assert slow("nothing", 12.0) == []
    assert [_starts_slowly(way(*each)) for each in ((said, 12.0), (said, 40.0), ("nothing", 9.0))] == [
        False,
        True,
        False,
    ]


def test_the_nearest_file_names_most_of_what_a_commit_changes():
    before = Tree.of({"keys.py": KEYS, "test_a.py": "cut(1)", "test_b.py": "wide()", "test_c.py": "wide() # longer"})
    after = Tree.of({"keys.py": KEYS.replace("return True", "return False")}).over(before)
    assert nearest_files(before, after, (), ["test_a.py", "test_c.py", "test_b.py"]) == [
        "test_b.py", "test_c.py", "test_a.py",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_suite_that_does_not_fit_is_measured_in_part_and_the_task_says_so(tmp_path):
    history = History(tmp_path / "keys")
    long = "\n\ndef test_long():\n    import time\n    while time.process_time() < 2:\n        pass\n"
    history.commit("Start", {"keys.py": KEYS, "test_keys.py": PYTHON + long})
    mended = KEYS.replace("    return n // 2", "    if n < 0:\n        raise ValueError('too low')\n    return n // 2")
    low = "\n\ndef test_low():\n    with pytest.raises(ValueError):\n        cut(-1)\n"
    history.commit("Cutting a negative key raises ValueError", {"keys.py": mended, "test_keys.py": PYTHON + long + low})
    said = make(history, tmp_path / "made", "--seconds", "24", "--runs", "2")
    assert said["fail_to_pass"] == ["test_keys.py::test_low"]
    assert said["pass_to_pass"] == ["test_keys.py::TestCut::test_cut"]
    assert "left out, since a run of all takes" in said["notes"][-1]
    record = json.loads((tmp_path / "made" / said["task"] / "made.json").read_text())
    assert "test_keys.py::test_long" in record["left_out"]
    assert len(record["left_out"]) == 6
