"""What making in numbers rests on: what gives an answer away, which function a line is in, and what a kill leaves."""

import msgspec
import pytest
from histories import SUMS

from honestly.errors import TaskError
from honestly.records import Checks, Edit, Hidden, Tags, Task, Tree
from honestly.taskgen._from_commit import MadeFrom, made_before, write_made
from honestly.taskgen._given_away import given_away
from honestly.taskgen._journal import MinedTask, MiningJournal
from honestly.taskgen._tested import function_at, touched_functions
from honestly.taskgen._told import Told, place_said, tell_bug, tell_step
from honestly.tasks import load_suite

CHECKS = Checks(
    runner="pytest", files=Tree.of({"test_sums.py": "def test(): pass\n"}), expected=("test_sums.py::test",)
)


def task_of(made, instruction, before, after):
    """A task whose reference makes one text the other."""
    work, solved = Tree.of({"sums.py": before}), Tree.of({"sums.py": after})
    return Task(
        id="sums-1", instruction=instruction, workspace=work, tags=Tags(made=made),
        hidden=Hidden(checks=CHECKS, reference=Edit.between(work, solved)),
    )  # fmt: skip


def record(told, **more):
    return MadeFrom(
        kind="from-mutants", repository="sums", revision="a" * 40, parent="", fail_to_pass=("test_sums.py::test",),
        pass_to_pass=(), flaky=(), runs=1, tests=(), source=(), other=(), history="none", instruction=told, read=(),
        installed=(), versions={}, **more,
    )  # fmt: skip


def test_of_a_planted_bug_no_name_and_no_text_of_the_repaired_line_may_be_told():
    broken = SUMS.replace("value > best", "value < best")
    told = tell_bug("`test_it`: largest of [41, 'many'] is best, not value", "sums", ["best", "value"], ["many"])
    assert given_away(task_of("from-mutants", told.text, broken, SUMS), told, "sums") == ()
    loud = "The value is not the best.\n\n" + place_said("sums")
    assert given_away(task_of("from-mutants", loud, broken, SUMS), Told(text=loud), "sums") == ("best", "value")
    texts = SUMS.replace("best = None", "best = 'nothing yet'")
    loud = "It says nothing yet.\n\n" + place_said("sums")
    assert given_away(task_of("from-mutants", loud, SUMS, texts), Told(text=loud), "sums") == ("nothing yet",)


def test_of_other_tasks_only_what_the_workspace_lacks_is_secret_and_tests_may_ask_for_it():
    after = SUMS.replace("found = 0", "starting_point = 4711\n    found = starting_point - 4711")
    said = "Use starting_point, which is 4711, for values.\n\n" + place_said("sums")
    task = task_of("from-commit", said, SUMS, after)
    assert given_away(task, Told(text=said), "sums") == ("starting_point", "4711")
    assert given_away(task, Told(text=said, told=("starting_point",)), "sums") == ("4711",)
    empty = SUMS.replace(
        "    found = 0\n    for value in values:\n        found += value\n    return found",
        "    raise NotImplementedError",
    )
    told = tell_step("sums", ["`sums.py`: `total(values)`"], [])
    assert given_away(task_of("from-tests", told.text, empty, SUMS.replace("found", "kept_sum")), told, "sums") == ()
    loud = told.text.replace("total(values)", "total(values), by kept_sum")
    task = task_of("from-tests", loud, empty, SUMS.replace("found", "kept_sum"))
    assert given_away(task, told, "sums") == ("kept_sum",)


def test_a_line_belongs_to_a_function_and_a_change_to_all_that_it_touches():
    at = {line: number for number, line in enumerate(SUMS.splitlines(), 1)}
    assert function_at("sums.py", SUMS.encode(), at["        self.seen = []"]) == "sums.py::Running::__init__"
    assert function_at("sums.py", SUMS.encode(), at["    best = None"]) == "sums.py::largest"
    assert function_at("sums.py", SUMS.encode(), 1) == "sums.py::"
    after = SUMS.replace("best = None", "best = 0").replace("self.seen = []", "self.seen = [0]")
    found = touched_functions(Tree.of({"sums.py": SUMS, "a.txt": "a"}), Tree.of({"sums.py": after, "a.txt": "a"}))
    assert found == {"sums.py::largest", "sums.py::Running::__init__"}
    gone = SUMS.replace("    best = None\n", "")
    assert touched_functions(Tree.of({"sums.py": SUMS}), Tree.of({"sums.py": gone})) == {"sums.py::largest"}


def test_what_a_kill_leaves_is_found_again_or_is_no_task(tmp_path):
    told = Told(text="Repair it.")
    task = task_of("from-mutants", "Repair it.", SUMS.replace("> best", "< best"), SUMS)
    (tmp_path / ".sums-1.0123abcd").mkdir()
    assert made_before(tmp_path / "sums-1") is None
    write_made(tmp_path / "sums-1", task, record(told))
    assert not (tmp_path / ".sums-1.0123abcd").exists()
    again = made_before(tmp_path / "sums-1")
    assert (again.task, again.fail_to_pass) == ("sums-1", ("test_sums.py::test",))
    (tmp_path / "sums-1").rename(tmp_path / ".sums-2.0123abcd")
    write_made(tmp_path / "sums-1", task, record(told))
    assert [each.id for each in load_suite(tmp_path).tasks] == ["sums-1"]
    (tmp_path / "other").mkdir()
    with pytest.raises(TaskError, match="is in the way"):
        made_before(tmp_path / "other")


def test_half_a_line_at_the_end_of_a_journal_is_no_result_and_is_written_over(tmp_path):
    journal = MiningJournal(tmp_path, "sums", "from-mutants")
    rows = [MinedTask(revision="a", day="", subject=str(number), refused="no") for number in range(3)]
    with journal:
        for row in rows[:2]:
            journal.keep(row)
    whole = journal.place.read_bytes()
    journal.place.write_bytes(whole[:-9])
    assert list(journal.rows()) == rows[:1]
    with journal:
        journal.keep(rows[2])
    assert list(journal.rows()) == [rows[0], rows[2]]
    journal.place.write_bytes(b"{}\n")
    with pytest.raises(TaskError, match="damaged"):
        list(journal.rows())
    assert msgspec.json.decode(whole.splitlines()[1])["subject"] == "0"
