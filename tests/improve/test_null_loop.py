"""Loops without any true gain: which rule keeps noise, and how often, with the whole machinery around it."""

import hashlib
import importlib.util
import math
import random
from pathlib import Path

import anyio
import numpy as np
import pytest

from honestly.improve import LoopEvidence, evaluate, loop_proof, read_target
from honestly.improve._loop_report import fresh_gain
from honestly.improve.projects import write_example
from honestly.records import Edit
from honestly.stats import wilson_interval
from improve.loop_parts import begun, memory_box, project, scored, unsafe_box, worked


async def pure_noise(target, edit, seed):
    text = target.workspace(edit).files["knobs.py"].data
    rng = random.Random(hashlib.blake2b(text + b"%d" % seed).digest())
    return scored(rng.gauss(0, 1))


def keeping(tmp_path, loops, attempts, keep):
    found = 0
    for n in range(loops):
        run = begun(project(tmp_path / f"{keep}{n}"), "gambler", f"{attempts} attempts", keep=keep, seed=n)
        state = worked(run, memory_box, pure_noise)
        found += sum(each.kept for (_, k), each in state.decided.items() if k) > 0
    return found


def test_naive_keep_finds_gains_in_most_loops_without_any_and_ours_in_none_of_a_few(tmp_path):
    assert keeping(tmp_path, 6, 20, "naive") >= 5
    assert keeping(tmp_path, 6, 20, "paired") <= 1


@pytest.mark.slow
def test_the_share_of_loops_that_keep_anything_is_at_most_five_percent(tmp_path):
    found = keeping(tmp_path, 300, 30, "paired")
    assert wilson_interval(found, 300)[0] <= 0.05
    assert found / 300 <= 0.055


@pytest.mark.slow
def test_a_loop_without_an_end_keeps_no_noise_beyond_its_hundredth_attempt_either(tmp_path):
    found = 0
    for n in range(40):
        state = worked(begun(project(tmp_path / f"{n}"), "gambler", "2200 evaluations", seed=n), memory_box, pure_noise)
        assert state.spent["loop"].attempts > 100
        found += any(each.kept for (_, k), each in state.decided.items() if k)
    assert wilson_interval(found, 40)[0] <= 0.05


def chosen(rng, truth):
    """A loop that keeps the luckiest of twenty candidates that are all alike, and its fresh scores."""
    rows = [[rng.gauss(truth, 1) for _ in range(3)] for _ in range(20)]
    best = min(rows, key=sum)
    fresh = {
        "best": [rng.gauss(truth, 1) for _ in range(30)],
        "baseline": [rng.gauss(truth + 0.3, 1) for _ in range(30)],
    }
    return best, fresh


@pytest.mark.slow
def test_the_interval_of_the_fresh_gain_covers_the_truth():
    rng = random.Random(1)
    loops, covered = 2000, 0
    for _ in range(loops):
        _, fresh = chosen(rng, 0.0)
        low, high = fresh_gain(fresh["best"], fresh["baseline"], 0.05, higher=False).interval
        covered += low <= 0.3 <= high
    assert 0.93 <= covered / loops <= 0.97


@pytest.fixture(scope="module")
def curve_law():
    spec = importlib.util.spec_from_file_location("loop_luck", Path(__file__).parents[2] / "bench" / "loop_luck.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("keep", ["paired", "naive"])
def test_on_the_noisy_script_the_luck_of_the_choice_and_the_gain_lie_in_their_intervals(curve_law, keep):
    rng = np.random.default_rng(3)
    table = curve_law.losses(curve_law.settings(), curve_law.DRAWS, rng)
    luck, *held = (np.array(column) for column in zip(*curve_law.judged(table, keep, 400, rng), strict=True))
    assert keep == "paired" or luck.mean() > 0.01
    for covered in held:
        low, high = wilson_interval(int(covered.sum()), len(covered))
        assert low <= 0.97, covered.mean()
        assert high >= 0.93, covered.mean()
        assert 0.90 <= covered.mean() <= 0.985


@pytest.mark.slow
def test_the_simulated_law_is_that_of_the_embedded_script(curve_law, tmp_path):
    write_example("curve", tmp_path / "p")
    target = read_target(tmp_path / "p")
    simulated = curve_law.losses([curve_law.START], 4000, np.random.default_rng(1))[0]
    real = [anyio.run(evaluate, target, Edit(), seed, unsafe_box).value for seed in range(20)]
    error = simulated.std() / len(real) ** 0.5
    assert abs(np.mean(real) - simulated.mean()) < 4 * error
    assert 0.6 < np.std(real) / simulated.std() < 1.6


def page(selected, fresh, **given):
    base = {
        "name": "p",
        "loop": "autoresearch",
        "keep": "paired",
        "agent": "a",
        "metric": "loss",
        "higher": False,
        "best": "c",
        "attempts": 20,
        "kept": 1,
        "bound": 0.0,
        "trusted": False,
        "constraints": (),
        "tampering": 0,
        "flags": (),
        "wrongly": (),
    }
    return loop_proof(LoopEvidence(**{**base, **given}, selected=tuple(selected), fresh=fresh))


def test_the_page_shows_the_luck_of_the_choice():
    rng = random.Random(5)
    lucky = 0
    for _ in range(20):
        best, fresh = chosen(rng, 5.0)
        proof = page(best, fresh)
        assert proof.optimism == pytest.approx(proof.fresh - proof.selected)
        lucky += proof.optimism > 0
    assert lucky >= 18


def test_a_winner_that_fails_on_a_fresh_seed_is_not_called_better():
    fresh = {"best": [1.0] * 20, "baseline": [2.0] * 20}
    assert page([1.0], fresh).verdict == "better"
    assert page([1.0], {**fresh, "best": [None, *[1.0] * 19]}).verdict == "cannot tell"
    assert page([1.0], {**fresh, "best": [None, *[1.0] * 19]}).failed == 1
    assert page([1.0], {"best": [3.0] * 20, "baseline": [2.0] * 20}).verdict == "worse"
    assert page([1.0], {"best": [], "baseline": []}).verdict == "not measured yet"
    assert page([1.0], fresh, higher=True).verdict == "worse"


CONDITION = "better, if rare large differences can be excluded"


def test_what_no_fresh_seed_shows_is_a_condition_and_the_bound_that_is_declared_excludes_it():
    rng = random.Random(3)
    fresh = {side: [rng.gauss(at, 0.1) for _ in range(40)] for side, at in (("best", 1), ("baseline", 2))}
    proofs = [page([1.0], fresh, bound=bound) for bound in (0.0, 3.0, 100.0, 0.5, None)]
    assert [each.verdict for each in proofs] == ["better", "better", CONDITION, CONDITION, CONDITION]
    assert proofs[2].p_value == proofs[4].p_value < 0.05  # under the condition; a bound of 100 excludes nothing
    turned = page([1.0], fresh, bound=None, higher=True)
    assert turned.verdict == CONDITION.replace("better", "worse")
    undrawn, loss = proofs[-1].over_baseline.undone_by
    assert (1 - undrawn) ** 40 == pytest.approx(0.05)
    assert proofs[-1].difference * (1 - undrawn) == pytest.approx(undrawn * loss)


def test_the_verdict_is_the_weaker_of_both():
    fresh = {"best": [1.0] * 20, "baseline": [2.0] * 20}
    for control, expected in ((1.5, "better"), (1.0, "cannot tell"), (0.5, "worse")):
        found = page([1.0], {**fresh, "control": [control] * 20})
        assert (found.over_baseline.verdict, found.verdict) == ("better", expected)
    assert page([1.0], {**fresh, "control": [None] * 20}).verdict == "cannot tell"


def test_a_deterministic_gain_has_an_exact_p_and_no_error():
    proof = page([9.0], {"best": [9.0] * 10, "baseline": [10.0] * 10, "control": [10.0] * 10})
    assert (proof.difference, proof.se, proof.interval) == (1, 0, (1, 1))
    assert proof.p_value == pytest.approx(2 / 1024)
    assert (proof.best_of_n, proof.over_best_of_n.gain) == (10, 1)
    assert math.isclose(proof.optimism, 0)
