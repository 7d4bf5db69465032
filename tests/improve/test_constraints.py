"""Metrics that must not get worse: a candidate that pays with them is not kept, and no winner is better that does."""

import random
from dataclasses import replace

import pytest

from honestly.improve import BASELINE, loop_proof, prove_run
from honestly.improve._declare import Constraint
from honestly.improve._loop_report import held_metric
from improve.loop_parts import TOML, begun, memory_box, project, scored, worked

LINES = (
    TOML
    + """rare_losses = false
[constraints.lines]
direction = "lower"
margin = 5
[proof]
control = false
"""
)


def costing(lines):
    """A gain of five SD, and so many lines."""

    async def measure(target, edit, seed):
        text = target.workspace(edit).text("knobs.py")
        value = random.Random(f"{seed}{text}").gauss(5 - 5 * bool(edit.write.files), 1)
        metrics = {} if lines is None else {"lines": 100.0 + lines * bool(edit.write.files)}
        return replace(scored(value), metrics=metrics)

    return measure


@pytest.mark.parametrize("keep", ["race", "paired", "naive"])
def test_what_pays_with_another_metric_is_not_kept(tmp_path, keep):
    for name, lines, kept in (("a", 4, True), ("b", 6, False), ("c", -50, True), ("d", None, False)):
        run = begun(project(tmp_path / name, LINES), "gambler", "3 attempts", keep=keep)
        state = worked(run, memory_box, costing(lines))
        assert (state.best != BASELINE) == kept
        if kept:
            assert loop_proof(worked(run, memory_box, costing(lines), prove_run)).verdict == "better"
        else:
            assert {each.status for (_, n), each in state.decided.items() if n} <= {"constraint", "ok"}


def test_what_the_search_did_not_see_the_proof_does(tmp_path):
    run = begun(project(tmp_path / "p", LINES), "gambler", "3 attempts", keep="race")
    worked(run, memory_box, costing(0))
    found = loop_proof(worked(run, memory_box, costing(20), prove_run))
    assert (found.over_baseline.verdict, found.verdict) == ("better", "worse")
    assert "worse: lines" in str(found)
    assert [each.verdict for each in found.constraints] == ["worse"]


def test_a_margin_is_tested_and_unknown_is_not_no_worse():
    rng = random.Random(1)
    old = [rng.gauss(10, 1) for _ in range(40)]
    near, far = ([value + rng.gauss(shift, 1) for value in old] for shift in (0.0, 2.0))
    said = Constraint(direction="lower", margin=1.0)
    assert held_metric("m", said, near, old, 0.05).verdict == "no worse"
    assert held_metric("m", said, far, old, 0.05).verdict == "worse"
    assert held_metric("m", Constraint(direction="lower"), near, old, 0.05).verdict == "cannot tell"
    assert (
        held_metric("m", Constraint(direction="lower", margin=1.0, bound=100), near, old, 0.05).verdict == "cannot tell"
    )
    assert held_metric("m", said, [*near[:-1], None], old, 0.05).verdict == "cannot tell"
