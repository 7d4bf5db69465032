"""The third of three parts of `versa`, since the tests of one file run one after the other."""

import pytest

from versa import SUITE, assert_fair


@pytest.mark.slow
@pytest.mark.parametrize("task", SUITE.tasks[2::3], ids=lambda task: task.id)
def test_the_task_is_fair_and_its_second_solution_passes(task):
    assert_fair(task)
