"""What real machines and judges do to a loop: machines that take turns, almost the same numbers, judges that fail."""

import random
from contextlib import suppress

import pytest

from honestly.errors import TaskError
from honestly.improve import BASELINE, prove_run
from honestly.improve._keep import agreeing_pairs
from improve.loop_parts import TOML, begun, memory_box, project, scored, worked
from improve.test_resume import noisy


def of(target, edit):
    return random.Random(target.workspace(edit).text("knobs.py"))


def in_turn(machines=4):
    """Noise, and every so many evaluations a machine that is much better."""
    at = iter(range(10**9))

    async def measure(target, edit, seed):
        return scored(random.Random(f"{seed}{of(target, edit).random()}").gauss(0, 1) - 3 * (next(at) % machines == 0))

    return measure


def places(state, arm):
    """Where in each pair the candidate was measured: first, or second."""
    order = [key.split(" ") for key in state.evaluated if key.startswith((f"{arm} keep", f"{arm} proof"))]
    pairs = {}
    for *purpose, who in order:
        pairs.setdefault(tuple(purpose), []).append(who)
    return [each[0] != BASELINE for each in pairs.values() if BASELINE in each and len(each) > 1]


def test_machines_in_turn_make_no_gain_since_the_order_of_a_pair_is_drawn(tmp_path):
    states = [worked(begun(project(tmp_path / f"{n}"), "gambler", seed=n), memory_box, in_turn()) for n in range(8)]
    assert sum(state.best != BASELINE for state in states) <= 1
    first = [place for state in states for place in places(state, "loop")]
    assert 0.4 < sum(first) / len(first) < 0.6


def test_so_is_the_order_of_the_proof(tmp_path):
    run = begun(project(tmp_path / "p", TOML + "[proof]\ncontrol = false\n"))
    assert worked(run, memory_box, noisy([])).best != BASELINE
    worked(run, memory_box, noisy([]), prove_run)
    first = places(worked(run, memory_box, noisy([])), "proof")
    assert len(first) == 40
    assert 8 < sum(first) < 32


def almost(steady, odd):
    """The same value of every evaluation but some, by their number."""
    at = iter(range(10**9))

    async def measure(target, edit, seed):
        return scored(3.0 if next(at) in odd else steady(bool(edit.write.files)))

    return measure


def test_what_is_almost_deterministic_is_found_out_and_tested_to_the_end(tmp_path):
    toml = TOML + "deterministic = true\n"
    same = worked(begun(project(tmp_path / "a", toml), "gambler"), memory_box, almost(lambda new: 5.0 - new, ()))
    assert same.decided["loop", 1].pairs == agreeing_pairs(0.025) == 4
    assert same.decided["loop", 2].pairs == 1
    odd = almost(lambda new: 5.0 - new, (20,))
    ended = worked(begun(project(tmp_path / "b", toml), "gambler"), memory_box, odd)
    assert ended.changed_by_itself
    assert ended.decided["loop", 10].pairs > 1


@pytest.mark.slow
def test_loops_on_a_metric_that_differs_in_one_run_of_ten_keep_nothing(tmp_path):
    kept = 0
    for n in range(200):
        rng = random.Random(n)

        async def measure(target, edit, seed, rng=rng):
            return scored(5.0 - (rng.random() < 0.1))

        run = begun(project(tmp_path / f"{n}", TOML + "deterministic = true\n"), "gambler", "20 attempts", seed=n)
        with suppress(TaskError):  # the unchanged project is not deterministic, and is refused
            kept += worked(run, memory_box, measure).best != BASELINE
    assert kept <= 10


def failing(rate):
    """Noise; a candidate's own bad seeds have no score."""

    async def measure(target, edit, seed):
        value = random.Random(f"{seed}{of(target, edit).random()}").gauss(0, 1)
        return scored(None, "unmeasured") if edit.write.files and value > rate else scored(value)

    return measure


def test_a_change_by_which_the_judge_fails_on_its_bad_seeds_is_dropped(tmp_path):
    state = worked(begun(project(tmp_path / "p"), "gambler", "12 attempts"), memory_box, failing(1.0))
    assert state.best == BASELINE
    assert {each.status for (_, n), each in state.decided.items() if n} <= {"unmeasured", "ok"}
    assert any(" again " in key for key in state.evaluated)


def test_a_judge_that_fails_now_and_then_costs_no_gain(tmp_path):
    rng = random.Random(2)

    async def measure(target, edit, seed):
        gain = 3.0 * bool(edit.write.files)
        return scored(None, "unmeasured") if rng.random() < 0.03 else scored(rng.gauss(5 - gain, 1))

    runs = [begun(project(tmp_path / f"{n}"), "gambler", "1 attempt", seed=n) for n in range(6)]
    assert sum(worked(run, memory_box, measure).best != BASELINE for run in runs) >= 5
