"""What the rest of a study will cost: exact where nothing varies, honest about what is unknown, covered by its range."""

import random

import pytest

from honestly.runner import forecast


def test_where_nothing_varies_the_sum_is_exact():
    found = forecast({("a", "t"): [2.0, 2.0], ("a", "u"): [3.0, 3.0]}, [("a", "t")] * 3 + [("a", "u")])
    assert (found.total, found.low, found.high, found.unknown) == (9.0, 9.0, 9.0, 0)


def test_a_task_that_was_never_tried_costs_what_the_agents_others_did_and_another_agent_says_nothing():
    found = forecast({("a", "t"): [1.0, 3.0]}, [("a", "new")] * 2 + [("b", "t")])
    assert (found.total, found.unknown) == (4.0, 1)
    assert found.low < 4.0 < found.high


def test_where_nothing_was_tried_twice_there_is_no_range_and_without_anything_no_number():
    once = forecast({("a", "t"): [2.0]}, [("a", "t")] * 3)
    assert (once.total, once.low, once.high) == (6.0, None, None)
    nothing = forecast({}, [("a", "t")] * 3)
    assert (nothing.total, nothing.low, nothing.high, nothing.unknown) == (None, None, None, 3)
    assert forecast({("a", "t"): [2.0]}, []).total is None


@pytest.mark.parametrize("samples", [2, 5])
def test_the_range_holds_the_sum_with_about_ninety_percent(samples):
    rng, held, runs, tasks = random.Random(samples), 0, 400, [f"t{n}" for n in range(12)]
    for _ in range(runs):
        middle = {task: rng.lognormvariate(0, 1) for task in tasks}

        def cost(task, middle=middle):
            return middle[task] * rng.lognormvariate(0, 0.5)

        spent = {("a", task): [cost(task) for _ in range(samples)] for task in tasks[:10]}
        found = forecast(spent, [("a", task) for task in tasks[:10] for _ in range(4)])
        held += found.low <= sum(cost(task) for task in tasks[:10] for _ in range(4)) <= found.high
    assert 0.8 < held / runs < 0.97
