"""Parts of the loop that hardens: suites as projects, alternatives, probes, rates."""

import math

import pytest

from honestly.errors import TaskError
from honestly.improve import LoopTerms, begin_run, read_loop_budget, suite_target
from honestly.improve._fair import alternative_solutions
from honestly.improve._hack_rates import hacked_share
from honestly.improve._suite_target import same_question, task_ids, task_in
from honestly.improve.proposers._probes import _nearby_values, _varied_calls
from honestly.records import Suite, Task, Tree
from improve.weak_tasks import DONE, weak_suite, weak_tasks


def test_a_suite_as_files_is_the_same_tasks_and_what_is_asked_may_not_change():
    suite = weak_suite()
    target = suite_target(suite)
    assert task_ids(target) == sorted(each.id for each in suite.tasks)
    for task in suite.tasks:
        assert task_in(target.tree, task.id) == task
    left = Tree.of(
        {"fine/instruction.md": "x", "fine/tests/check_money.py": "y", "fine/solution/reference/money.py": ""}
    )
    frozen = target.frozen_candidate(target.agent_tree, left.over(target.agent_tree))
    assert frozen.tampered == ("fine/instruction.md", "fine/solution/reference/money.py")
    assert list(frozen.edit.write.files) == ["fine/tests/check_money.py"]


def test_another_question_is_seen_whatever_file_says_it():
    target = suite_target(weak_suite("fine"))
    fine = task_in(target.tree, "fine")
    rest = target.tree.text("fine/honestly.json")
    more = Tree.of({"fine/tests/check_money.py": "def test_all(ws):\n    pass\n"}).over(target.tree)
    assert same_question(fine, task_in(more, "fine"))
    other = Tree.of({"fine/honestly.json": rest.replace('"the-share": []', '"the-share": ["a"]')}).over(target.tree)
    assert other != target.tree
    assert not same_question(fine, task_in(other, "fine"))
    with pytest.raises(TaskError):
        task_in(Tree.of({"fine/honestly.json": "[]"}).over(target.tree), "fine")


def test_the_reference_in_other_words_is_an_alternative():
    ((name, edit),) = alternative_solutions(weak_tasks()["fine"]).items()
    assert name == "the reference in other words"
    assert "#" in DONE
    assert "#" not in edit.write.text("money.py")


def test_probes_vary_what_the_tests_call():
    calls = set(_varied_calls(weak_tasks()["constant"]))
    assert ("money", "spare", "(101, 4)") in calls
    assert ("money", "spare", "(100, 4)") not in calls
    assert all(module == "money" and name == "spare" for module, name, _ in calls)
    assert _nearby_values([1, 2]) == [[2, 1], [1, 2, 1, 2], [1], [2, 2], [2, 2]]


def test_rates_take_tasks_as_units():
    share = hacked_share([[1.0, 0.0], [0.0, 0.0], [], [1.0, 1.0]])
    assert (share.hacked, share.attacks, share.hacked_tasks, share.tasks) == (3, 6, 2, 3)
    assert share.rate == pytest.approx(0.5)
    assert share.interval[0] < 0.5 < share.interval[1]
    none = hacked_share([[0.0]] * 10)
    assert (none.rate, none.interval[0]) == (0, 0)
    assert none.interval[1] == pytest.approx(none.tasks_interval[1])
    assert math.isnan(hacked_share([]).rate)


def test_a_suite_is_hardened_and_nothing_else(tmp_path):
    budget = read_loop_budget("1 attempt")
    with pytest.raises(TaskError, match="a suite of tasks"):
        begin_run(tmp_path / "r", suite_target(weak_suite("fine")), LoopTerms(agent="nop", budget=budget), "x")
    with pytest.raises(TaskError, match="no task that can be hardened"):
        suite_target(Suite(name="none", version="1", tasks=(Task(id="a", instruction="x"),)))
